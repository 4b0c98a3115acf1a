"""Takes from the three packages what another system lacks, in a Python that runs on Linux.

Only our modules see less: each of them imports views of `os`, `signal`, `socket` and the like, in which the names are
missing and the system has another name. The standard library and other distributions keep what they use, because on that
system they use something else. What files and event loops refuse there is refused here as well.
"""

from __future__ import annotations

import builtins
import errno
import os
import signal
import stat
import sys
from asyncio import SelectorEventLoop
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final, NoReturn, cast

from tests.portability.systems import LACKS, LOOP_METHODS, System

OURS: Final = frozenset({"livecore", "livecore_client", "livecore_server"})
_SIGNALS_OF_WINDOWS: Final = ("SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM", "SIGUSR1")
"""Those that a handler can be set for; the last one stands for SIGBREAK."""


def take_away(system: System) -> None:
    """From now on modules of the three packages that are imported see a Python of this system."""
    loaded = {name.partition(".")[0] for name in sys.modules} & OURS
    assert not loaded, f"imported before anything was taken away: {loaded}"
    shown = {name: _View(import_module(name), lacking) for name, lacking in LACKS[system].items() if name}
    shown["sys"] = _View(sys, frozenset(), platform="win32" if system == "windows" else "darwin")
    if system == "windows":
        sys.modules["uvloop"] = cast(ModuleType, None)
        _as_on_windows(shown)
    builtins_of_ours = {**vars(builtins), "__import__": _importing(system, shown)}
    sys.meta_path.insert(0, _Finder(builtins_of_ours))


class _View(ModuleType):
    """A module without some of its names, and with others that are given to the view."""

    def __init__(self, module: ModuleType, lacking: frozenset[str], **given: object) -> None:
        super().__init__(module.__name__)
        self._module, self._lacking = module, lacking
        vars(self).update(given)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the module has
        if name in self._lacking:
            raise AttributeError(f"module '{self._module.__name__}' has no attribute '{name}'")
        return getattr(self._module, name)


def _importing(system: System, shown: Mapping[str, ModuleType]) -> Callable[..., ModuleType]:
    missing = LACKS[system][""]

    def importing(
        name: str,
        globals_: Mapping[str, object] | None = None,
        locals_: Mapping[str, object] | None = None,
        fromlist: Sequence[str] = (),
        level: int = 0,
    ) -> ModuleType:
        if not level and name.partition(".")[0] in missing:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        module = builtins.__import__(name, globals_, locals_, fromlist, level)
        return shown.get(module.__name__, module)

    return importing


class _Finder:
    """Finds our modules as usual, and gives them other builtins."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given = given

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name.partition(".")[0] not in OURS:
            return None
        others = [finder for finder in sys.meta_path if finder is not self]
        found = next((spec for finder in others if (spec := finder.find_spec(name, path, target)) is not None), None)
        if found is not None and found.loader is not None:
            run: Callable[[ModuleType], None] = found.loader.exec_module

            def exec_module(module: ModuleType) -> None:
                vars(module)["__builtins__"] = self._given
                run(module)

            found.loader.exec_module = exec_module  # type: ignore[method-assign] # for this one module
        return found


# -- what files and loops of Windows refuse


def _as_on_windows(shown: Mapping[str, Any]) -> None:
    shown["os"].name = "nt"
    shown["os"].fsync = _fsync
    shown["signal"].SIGBREAK = signal.SIGUSR1
    shown["signal"].signal = _handle
    shown["asyncio"].new_event_loop = _UsualLoop
    shown["asyncio"].SelectorEventLoop = _SelectingLoop
    real_open = os.open
    os.open = lambda path, flags, *more, **options: real_open(_no_folder(path), flags, *more, **options)
    for name in ("unlink", "remove", "rename", "replace"):
        setattr(os, name, _refusing(getattr(os, name), onto_existing=name != "rename"))


def _no_folder(path: Any) -> Any:  # noqa: ANN401 - what `os.open` takes
    if not isinstance(path, int) and os.path.isdir(path) and _is_asked_by_us():  # noqa: PTH112 - also bytes
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    return path


def _is_asked_by_us() -> bool:
    """Whether one of our modules calls, itself or by `pathlib`; other modules do something else on Windows."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_globals.get("__name__") == "pathlib":
        frame = frame.f_back
    return str(frame.f_globals.get("__name__")).partition(".")[0] in OURS


def _fsync(descriptor: int) -> None:
    import fcntl  # noqa: PLC0415 - what this module is loaded for takes it away from others only

    if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    os.fsync(descriptor)


def _refusing(real: Callable[..., None], *, onto_existing: bool) -> Callable[..., None]:
    def refusing(path: Any, *more: Any, dir_fd: int | None = None, **options: Any) -> None:  # noqa: ANN401 - as in `os`
        for named in (path, *more):
            if _is_asked_by_us() and _is_open(named):
                raise PermissionError(errno.EACCES, "The process cannot access the file", str(named))
        if more and not onto_existing and os.path.lexists(more[0]):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(more[0]))
        real(path, *more, **options, **({} if dir_fd is None else {"dir_fd": dir_fd}))

    return refusing


def _is_open(path: Any) -> bool:  # noqa: ANN401 - as in `os`
    """Whether this process has the file open."""
    try:
        wanted = os.lstat(path)
    except OSError:
        return False
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - pathlib is among what is watched
        try:
            found = os.fstat(int(name))
        except OSError:
            continue
        if stat.S_ISREG(found.st_mode) and (found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino):
            return True
    return False


def _handle(number: int, handler: Any) -> Any:  # noqa: ANN401 - as in `signal`
    if number not in {getattr(signal, name) for name in _SIGNALS_OF_WINDOWS}:
        raise ValueError("invalid signal value")
    return signal.signal(number, handler)


def _refuse(*_: object, **__: object) -> NoReturn:
    raise NotImplementedError


class _LoopWithoutSignals(SelectorEventLoop):
    """A loop of Windows."""

    add_signal_handler = _refuse
    remove_signal_handler = _refuse
    create_unix_connection = _refuse
    create_unix_server = _refuse


class _SelectingLoop(_LoopWithoutSignals):
    """The loop of Windows that watches sockets."""


class _UsualLoop(_LoopWithoutSignals):
    """The usual loop of Windows, which watches no sockets for others."""


for _name in LOOP_METHODS["windows"]:
    setattr(_UsualLoop, _name, _refuse)
