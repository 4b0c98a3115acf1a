"""A season played before players do: virtual players play a configuration through a `World`, under production's rules.

    population ──▶ playing ──▶ World ──▶ observing ──▶ Observed ──▶ figures, findings, report, comparison

Everything here is deterministic and without I/O: the same configuration, population and seed give the same `Observed`. The
command `livecore simulate` reads the files, runs several seeds in processes, and writes what came out.
"""
