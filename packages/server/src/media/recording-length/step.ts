/** Called for each part of a file; throws RangeError if there are more than any recording has. */
export type Step = () => void
