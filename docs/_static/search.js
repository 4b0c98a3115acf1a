// Weights of the search: pages of tasks before others that match as well. A heading of the reference that is what was typed,
// such as the name of an operation or of an error, still comes before a page that only mentions it.
const EXACT = 15; // the score of a heading that is what was typed, and nothing else
var Scorer = {
  score: ([docname, , anchor, , score]) =>
    /^(how-to\/|tutorial$|what-livecore-does-not-do$)/.test(docname)
      ? score + 8
      : anchor && score >= EXACT && /^reference\//.test(docname)
        ? score + 9
        : /^(decisions\/|genindex)/.test(docname)
          ? score - 4
          : score,
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
