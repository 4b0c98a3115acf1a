"""Operations on a whole database: check, copy, back up, migrate players in, rehearse."""
