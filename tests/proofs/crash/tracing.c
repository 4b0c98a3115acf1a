/* Writes down, in the order in which they happen, which marked bytes a process writes to files and sockets, and when a file
 * is synced. Preloaded into the server by tests/proofs/crash/test_durability.py.
 *
 *   W <fd> <mark>   bytes with the mark are about to be written to a regular file
 *   B <fd>          fsync or fdatasync of the file begins
 *   F <fd>          it has returned without an error
 *   S <fd> <mark>   bytes with the mark are about to leave through a socket
 *
 * A mark is "mark-" and four digits. Lines go out by one system call each, to a file opened for appending, so their order is
 * the order of the calls, over all threads.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static const char MARK[] = "mark-";
enum { DIGITS = 4, PREFIX = sizeof(MARK) - 1 };
static int trace_fd = -1;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("LIVECORE_TRACE_FILE");
    if (path != NULL) trace_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void note(const char *line, int length) {
    if (trace_fd >= 0) (void)!syscall(SYS_write, trace_fd, line, (size_t)length);
}

static void note_sync(char what, int fd) {
    char line[32];
    note(line, snprintf(line, sizeof line, "%c %d\n", what, fd));
}

static char kind_of(int fd) {
    struct stat status;
    if (fd == trace_fd || fstat(fd, &status) != 0) return 0;
    if (S_ISREG(status.st_mode)) return 'W';
    return S_ISSOCK(status.st_mode) ? 'S' : 0;
}

static void scan(int fd, const void *bytes, size_t length) {
    const char *at = bytes, *end = at + length;
    if (trace_fd < 0 || length < PREFIX + DIGITS) return;
    char kind = 0;
    while (at < end && (at = memmem(at, (size_t)(end - at), MARK, PREFIX)) != NULL) {
        if (end - at < PREFIX + DIGITS) return;
        if (kind == 0 && (kind = kind_of(fd)) == 0) return;
        char line[48];
        note(line, snprintf(line, sizeof line, "%c %d %.*s\n", kind, fd, PREFIX + DIGITS, at));
        at += PREFIX + DIGITS;
    }
}

static void scan_parts(int fd, const struct iovec *parts, size_t count) {
    for (size_t part = 0; part < count; part++) scan(fd, parts[part].iov_base, parts[part].iov_len);
}

#define REAL(name) static __typeof__(&name) real; if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *bytes, size_t length) { REAL(write); scan(fd, bytes, length); return real(fd, bytes, length); }
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { REAL(pwrite); scan(fd, bytes, length); return real(fd, bytes, length, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) { REAL(pwrite64); scan(fd, bytes, length); return real(fd, bytes, length, at); }
ssize_t writev(int fd, const struct iovec *parts, int count) { REAL(writev); scan_parts(fd, parts, (size_t)count); return real(fd, parts, count); }
ssize_t send(int fd, const void *bytes, size_t length, int flags) { REAL(send); scan(fd, bytes, length); return real(fd, bytes, length, flags); }
ssize_t sendto(int fd, const void *bytes, size_t length, int flags, const struct sockaddr *to, socklen_t size) {
    REAL(sendto);
    scan(fd, bytes, length);
    return real(fd, bytes, length, flags, to, size);
}
ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    REAL(sendmsg);
    scan_parts(fd, message->msg_iov, message->msg_iovlen);
    return real(fd, message, flags);
}
int fsync(int fd) { REAL(fsync); note_sync('B', fd); int result = real(fd); if (result == 0) note_sync('F', fd); return result; }
int fdatasync(int fd) { REAL(fdatasync); note_sync('B', fd); int result = real(fd); if (result == 0) note_sync('F', fd); return result; }
