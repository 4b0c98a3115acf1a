"""What each system lacks of the names that Python has on Linux, from the availability notes of its documentation.

The server is written on Linux, where every name is there. Two tests read this table: one compares it with every name that
the three packages use, the other takes the names away and starts the programs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

System: TypeAlias = Literal["windows", "macos"]

_ONLY_LINUX_OS: Final = """
    O_DIRECT O_NOATIME O_PATH O_RSYNC O_TMPFILE copy_file_range eventfd eventfd_read eventfd_write fdatasync getrandom
    getresgid getresuid getxattr listxattr memfd_create pidfd_open pipe2 posix_fadvise posix_fallocate removexattr
    sched_getaffinity sched_getparam sched_getscheduler sched_rr_get_interval sched_setaffinity sched_setparam
    sched_setscheduler setns setresgid setresuid setxattr splice unshare waitid
"""
_ONLY_LINUX_SIGNAL: Final = "SIGPOLL SIGPWR SIGRTMAX SIGRTMIN SIGSTKFLT pidfd_send_signal sigtimedwait sigwaitinfo"
_ONLY_LINUX_SOCKET: Final = """
    AF_ALG AF_NETLINK AF_PACKET AF_VSOCK IP_TRANSPARENT MSG_CMSG_CLOEXEC MSG_ERRQUEUE MSG_MORE MSG_NOSIGNAL SOCK_CLOEXEC
    SOCK_NONBLOCK SO_BINDTODEVICE SO_DOMAIN SO_INCOMING_CPU SO_MARK SO_PASSCRED SO_PASSSEC SO_PEERCRED SO_PEERSEC
    SO_PRIORITY SO_PROTOCOL TCP_CONGESTION TCP_CORK TCP_DEFER_ACCEPT TCP_INFO TCP_LINGER2 TCP_QUICKACK TCP_SYNCNT
    TCP_USER_TIMEOUT TCP_WINDOW_CLAMP
"""
_ONLY_LINUX_SELECT: Final = "EPOLLERR EPOLLET EPOLLEXCLUSIVE EPOLLHUP EPOLLIN EPOLLONESHOT EPOLLOUT EPOLLPRI epoll"
_ONLY_POSIX_OS: Final = """
    CLD_CONTINUED CLD_DUMPED CLD_EXITED CLD_KILLED CLD_STOPPED CLD_TRAPPED F_LOCK F_TEST F_TLOCK F_ULOCK O_ACCMODE O_ASYNC
    O_CLOEXEC O_DIRECTORY O_DSYNC O_NDELAY O_NOCTTY O_NOFOLLOW O_NONBLOCK O_SYNC PRIO_PGRP PRIO_PROCESS PRIO_USER P_ALL
    P_PGID P_PID ST_NOSUID ST_RDONLY WCONTINUED WCOREDUMP WEXITED WEXITSTATUS WIFCONTINUED WIFEXITED WIFSIGNALED WIFSTOPPED
    WNOHANG WNOWAIT WSTOPPED WSTOPSIG WTERMSIG WUNTRACED chown chroot confstr confstr_names ctermid environb fchdir fchmod
    fchown fork forkpty fpathconf fstatvfs get_blocking getegid getenvb geteuid getgid getgrouplist getgroups getloadavg
    getpgid getpgrp getpriority getsid getuid initgroups killpg lchown lockf major makedev minor mkfifo mknod nice openpty
    pathconf pathconf_names posix_openpt posix_spawn posix_spawnp pread preadv pwrite pwritev readv register_at_fork
    sched_get_priority_max sched_get_priority_min sched_yield sendfile set_blocking setegid seteuid setgid setgroups setpgid
    setpriority setregid setreuid setsid setuid statvfs sync sysconf sysconf_names tcgetpgrp tcsetpgrp ttyname uname wait
    wait3 wait4 writev
"""
_ONLY_POSIX_SIGNAL: Final = """
    ITIMER_PROF ITIMER_REAL ITIMER_VIRTUAL ItimerError SIGALRM SIGBUS SIGCHLD SIGCLD SIGCONT SIGHUP SIGIO SIGIOT SIGKILL
    SIGPIPE SIGPROF SIGQUIT SIGSTOP SIGSYS SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU
    SIGXFSZ SIG_BLOCK SIG_SETMASK SIG_UNBLOCK alarm getitimer pause pthread_kill pthread_sigmask setitimer siginterrupt
    sigpending sigwait
"""
_ONLY_POSIX_SOCKET: Final = """
    AF_UNIX CMSG_LEN CMSG_SPACE MSG_DONTWAIT MSG_EOR SCM_RIGHTS SO_REUSEPORT recv_fds send_fds sethostname
"""
_ONLY_POSIX_SELECT: Final = "PIPE_BUF POLLERR POLLHUP POLLIN POLLMSG POLLNVAL POLLOUT POLLPRI kqueue poll"
_ONLY_POSIX_TIME: Final = """
    CLOCK_BOOTTIME CLOCK_MONOTONIC CLOCK_MONOTONIC_RAW CLOCK_PROCESS_CPUTIME_ID CLOCK_REALTIME CLOCK_TAI
    CLOCK_THREAD_CPUTIME_ID clock_getres clock_gettime clock_gettime_ns clock_settime clock_settime_ns
    pthread_getcpuclockid tzset
"""
_ONLY_POSIX_ASYNCIO: Final = """
    AbstractChildWatcher FastChildWatcher MultiLoopChildWatcher PidfdChildWatcher SafeChildWatcher ThreadedChildWatcher
    open_unix_connection start_unix_server
"""
_ONLY_POSIX_MODULES: Final = "crypt curses fcntl grp nis posix pty pwd readline resource spwd syslog termios tty uvloop"


def _names(*texts: str) -> frozenset[str]:
    return frozenset(name for text in texts for name in text.split())


LACKS: Final[Mapping[System, Mapping[str, frozenset[str]]]] = {
    "windows": {
        "": _names(_ONLY_POSIX_MODULES),
        "asyncio": _names(_ONLY_POSIX_ASYNCIO),
        "os": _names(_ONLY_POSIX_OS, _ONLY_LINUX_OS),
        "select": _names(_ONLY_POSIX_SELECT, _ONLY_LINUX_SELECT),
        "signal": _names(_ONLY_POSIX_SIGNAL, _ONLY_LINUX_SIGNAL),
        "socket": _names(_ONLY_POSIX_SOCKET, _ONLY_LINUX_SOCKET),
        "time": _names(_ONLY_POSIX_TIME),
    },
    "macos": {
        "": frozenset({"ossaudiodev", "spwd"}),
        "asyncio": frozenset({"PidfdChildWatcher"}),
        "os": _names(_ONLY_LINUX_OS),
        "select": _names(_ONLY_LINUX_SELECT),
        "signal": _names(_ONLY_LINUX_SIGNAL),
        "socket": _names(_ONLY_LINUX_SOCKET),
        "time": frozenset({"CLOCK_BOOTTIME", "CLOCK_TAI", "pthread_getcpuclockid"}),
    },
}
"""By system and module, the names that are not there; under the empty name whole modules."""

LOOP_METHODS: Final[Mapping[System, frozenset[str]]] = {
    "windows": _names(
        "add_signal_handler remove_signal_handler add_reader remove_reader add_writer remove_writer create_unix_connection "
        "create_unix_server set_child_watcher get_child_watcher"
    ),
    "macos": frozenset(),
}
"""Methods of an event loop that raise `NotImplementedError`; readers and writers do in the usual loop of Windows only."""

KEYWORDS: Final[Mapping[System, frozenset[str]]] = {
    "windows": _names("pass_fds preexec_fn start_new_session process_group umask dir_fd"),
    "macos": frozenset(),
}
"""Keywords that the functions of a system do not take, such as those of a new process."""
