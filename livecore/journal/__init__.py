"""A journal: what a game was asked, with every answer, so that it can be asked again, also under another configuration.

    header ──▶ Recorder ──▶ lines ──▶ read_journal ──┬──▶ reproduce    is every answer as recorded?
                                                     └──▶ compare      what would another configuration have done?

Everything here is without I/O: a recorder is given a function that writes, a reader is given lines.
"""
