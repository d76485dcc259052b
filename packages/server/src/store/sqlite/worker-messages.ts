// What the serving thread and a SQLite worker say to each other.

export type StatementRequest = { readonly id: number; readonly name: string; readonly input: unknown }

export type StatementReply =
  | { readonly id: number; readonly output: unknown }
  | { readonly id: number; readonly error: { readonly message: string; readonly code: string | null } }

/** The first message a worker sends: its database is open and migrated, or why not. */
export type WorkerReady = { readonly ready: true } | { readonly ready: false; readonly message: string }

export type WorkerStart = { readonly path: string; readonly mode: 'write' | 'read' }
