// What a backup tells while it works: one line of text for each step.

export type Report = (step: string) => void
