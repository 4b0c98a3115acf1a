"""The lowest layer, which knows no feature. Each of its folders imports only those that are above it here:

wire/          what goes over the wire: shapes, their checks and JSON, and the configurations of games
storage/       what stores keep: records, tables, reads, transactions with their notices, the store in memory
units/         the unit of work, and what it reaches besides rows: due work, the ephemeral state, streams
declarations/  what an area declares: tables, jobs, a timeline, and what becomes of a player's rows

Beside them are the values that all of them use: time, ids, scopes, randomness, refusals, and texts.
"""
