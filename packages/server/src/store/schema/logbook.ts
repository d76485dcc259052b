// Placeholder until the logbook's tables are written.
export type LogbookSchema = Record<never, never>
