// Longest texts of a judgement, in characters. Apart from the schemas, so that pages need not load those.

/** Reason of a score. */
export const maxWhy = 2000
export const maxComment = 8000
