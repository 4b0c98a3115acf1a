"""The report of a simulation: one page of HTML with its charts as SVG, readable without a network and without scripts."""

from livecore.simulation.report.page import page_of as page_of
