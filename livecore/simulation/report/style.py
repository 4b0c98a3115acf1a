"""The style of the report: light, dark and for print."""

from typing import Final

STYLE: Final = """\
:root {
  --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --line: #d8dee4; --panel: #f6f8fa; --good: #1a7f37; --bad: #b42318;
  --c0: #0067a5; --c1: #b8660b; --c2: #18794e; --c3: #a1398a; --c4: #3b8ec2; --c5: #c2410c; --c6: #8a7a00; --c7: #6e7781;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6edf3; --soft: #9da7b3; --paper: #0d1117; --line: #30363d; --panel: #161b22; --good: #3fb950; --bad: #ff7b72;
    --c0: #58a6ff; --c1: #f0a04b; --c2: #3fb97f; --c3: #d97fc4; --c4: #9ecbff; --c5: #ff8f66; --c6: #d6c54a; --c7: #9da7b3;
  }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .2rem; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .6rem; border-bottom: 1px solid var(--line); padding-bottom: .3rem; }
h3 { font-size: 1.05rem; margin: 2rem 0 .4rem; }
a { color: var(--c0); }
nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin-top: .6rem; }
.note, footer, figcaption, small { color: var(--soft); font-size: .9rem; }
.verdict { border: 1px solid var(--line); border-left: .4rem solid var(--good); border-radius: .4rem; margin: 1.2rem 0;
  padding: .6rem 1rem; background: var(--panel); }
.verdict.bad { border-left-color: var(--bad); }
.verdict ul, .findings { margin: .3rem 0; padding-left: 1.2rem; }
.failed, li.warning::marker { color: var(--bad); }
.passed { color: var(--good); }
.findings li { margin: .3rem 0; }
.path { color: var(--soft); margin-left: .4rem; font-size: .85rem; }
.facts { display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; margin: .6rem 0; }
.facts dt { color: var(--soft); font-size: .85rem; }
.facts dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
.wide { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; font-size: .85rem; white-space: nowrap; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.n small { display: block; }
code { font-size: .9em; overflow-wrap: anywhere; }
td code { overflow-wrap: normal; }
figure { margin: 1rem 0; }
.chart { width: 100%; height: auto; display: block; overflow: visible; }
.spark { width: 4rem; height: 1.2rem; }
.share { width: 8rem; height: .6rem; background: var(--panel); }
.grid { stroke: var(--line); stroke-width: 1; }
.tick { fill: var(--soft); font-size: 11px; }
.end { text-anchor: end; } .middle { text-anchor: middle; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; }
.hover { fill: var(--ink); opacity: 0; } .hover:hover { opacity: .08; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; margin: .2rem 0; font-size: .85rem; color: var(--soft); }
.legend i { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem;
  border-radius: .15rem; vertical-align: -1px; }
.c0.line { stroke: var(--c0); } .c1.line { stroke: var(--c1); } .c2.line { stroke: var(--c2); }
.c3.line { stroke: var(--c3); }
.c4.line { stroke: var(--c4); } .c5.line { stroke: var(--c5); } .c6.line { stroke: var(--c6); }
.c7.line { stroke: var(--c7); }
.c0.fill { fill: var(--c0); } .c1.fill { fill: var(--c1); } .c2.fill { fill: var(--c2); } .c3.fill { fill: var(--c3); }
.c4.fill { fill: var(--c4); } .c5.fill { fill: var(--c5); } .c6.fill { fill: var(--c6); } .c7.fill { fill: var(--c7); }
.k0 { background: var(--c0); } .k1 { background: var(--c1); } .k2 { background: var(--c2); } .k3 { background: var(--c3); }
.k4 { background: var(--c4); } .k5 { background: var(--c5); } .k6 { background: var(--c6); } .k7 { background: var(--c7); }
@media (max-width: 40rem) { .tick { font-size: 19px; } }
@media print { body { max-width: none; padding: 0; } nav { display: none; }
  section, figure, table { break-inside: avoid-page; } }
"""
