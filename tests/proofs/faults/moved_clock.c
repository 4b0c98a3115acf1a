/* A clock that can be set for one process. Preloaded into the server by tests/proofs/faults/test_clock.py.
 *
 * The file that LIVECORE_CLOCK_FILE names holds how far the time of day is ahead of the machine's, in seconds, as a signed
 * number of eight bytes, which the test changes while the server runs. Clocks that only measure are left alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static const int64_t none = 0;
static const volatile int64_t *ahead = &none;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("LIVECORE_CLOCK_FILE");
    int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return;
    void *seen = mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, fd, 0);
    if (seen != MAP_FAILED) ahead = seen;
    close(fd);
}

int clock_gettime(clockid_t clock, struct timespec *found) {
    static __typeof__(&clock_gettime) real;
    if (real == NULL) real = (__typeof__(&clock_gettime))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(clock, found);
    if (result == 0 && clock == CLOCK_REALTIME) found->tv_sec += *ahead;
    return result;
}
