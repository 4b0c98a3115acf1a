/* A disk that fails when it is told to. Preloaded into the server by tests/proofs/faults/test_disk.py.
 *
 * The file that LIVECORE_FAULT_FILE names holds one byte, which the test changes while the server runs:
 *
 *   -   all is well
 *   F   the disk is full: what would make a regular file longer fails with ENOSPC
 *   R   the file system has become read-only: every write to a regular file fails with EROFS
 *   S   fsync and fdatasync fail with EIO
 *   H   fsync and fdatasync do not return until the byte changes
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static volatile const char *fault = "-";

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("LIVECORE_FAULT_FILE");
    int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    void *seen = mmap(NULL, 1, PROT_READ, MAP_SHARED, fd, 0);
    if (seen != MAP_FAILED) fault = seen;
    close(fd);
}

static int fails(int error) {
    errno = error;
    return -1;
}

/* What writing up to `end` comes to; `end` is -1 where nobody can tell. */
static int refused(int fd, off_t end) {
    struct stat status;
    if (*fault != 'F' && *fault != 'R') return 0;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
    if (*fault == 'R') return fails(EROFS);
    return end < 0 || end > status.st_size ? fails(ENOSPC) : 0;
}

static int unsynced(void) {
    while (*fault == 'H') usleep(1000);
    return *fault == 'S' ? fails(EIO) : 0;
}

#define REAL(name) static __typeof__(&name) real; if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int fd, const void *bytes, size_t length) { REAL(write); return refused(fd, -1) ? -1 : real(fd, bytes, length); }
ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { REAL(pwrite); return refused(fd, at + (off_t)length) ? -1 : real(fd, bytes, length, at); }
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) { REAL(pwrite64); return refused(fd, at + (off_t)length) ? -1 : real(fd, bytes, length, at); }
int ftruncate(int fd, off_t length) { REAL(ftruncate); return refused(fd, length) ? -1 : real(fd, length); }
int ftruncate64(int fd, off64_t length) { REAL(ftruncate64); return refused(fd, length) ? -1 : real(fd, length); }
int fsync(int fd) { REAL(fsync); return unsynced() ? -1 : real(fd); }
int fdatasync(int fd) { REAL(fdatasync); return unsynced() ? -1 : real(fd); }
