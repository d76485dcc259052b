// Placeholder until the directory's tables are written.
export type DirectorySchema = Record<never, never>
