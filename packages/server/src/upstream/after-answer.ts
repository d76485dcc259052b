// How long a stream is read on when its answer is complete: an upstream that does not close is no failure of the answer.

/** With finish reason and usage: nothing that anybody needs can follow. */
export const afterAnswerMs = 1000
/** Without usage yet: it may still come, and without it the hold is charged. */
export const afterFinishMs = 10_000
