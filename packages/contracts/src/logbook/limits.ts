// Limits of the logbook (spec 8), shared by the service that enforces them and the clients that respect them.

/** Maximum entries in one `POST /api/ingest`. */
export const maximumEntriesPerRequest = 500

/** Maximum body size of one `POST /api/ingest`, in bytes. */
export const maximumBodyBytes = 16 * 1024 * 1024

/** Maximum size of one entry as UTF-8 JSON, in bytes. */
export const maximumEntryBytes = 4 * 1024 * 1024

/** Maximum nesting depth of an entry. The entry itself is level 1. */
export const maximumEntryDepth = 64

/** Maximum Unicode code points in the short text members of an entry. */
export const maximumNameLength = 512

/** Members that are cut to this many Unicode code points when they are stored (spec 2.10, 8). */
export const truncationLimits = { prompt: 1000, tool_response: 4000, response_summary: 4000 } as const

/** Default number of items on a page. */
export const defaultPageSize = 50

/** Maximum number of items on a page. A larger `limit` counts as this one. */
export const maximumPageSize = 200

/** Maximum bytes of entries on a page; the page ends once they are reached. */
export const maximumPageBytes = 8 * 1024 * 1024
