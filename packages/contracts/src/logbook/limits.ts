// The limits of the logbook, shared by the service that enforces them and the clients that respect them (spec 8).

/** Most entries in one `POST /api/ingest`. */
export const maximumEntriesPerRequest = 500

/** Most bytes in the body of one `POST /api/ingest`. */
export const maximumBodyBytes = 16 * 1024 * 1024

/** Most bytes of one entry, as UTF-8 JSON. */
export const maximumEntryBytes = 4 * 1024 * 1024

/** How deep the values of one entry may be nested; the entry itself is level 1. */
export const maximumEntryDepth = 64

/** Most Unicode code points in the short text members of an entry. */
export const maximumNameLength = 512

/** Members that are cut to so many Unicode code points when they are stored (spec 2.10, 8). */
export const truncationLimits = { prompt: 1000, tool_response: 4000, response_summary: 4000 } as const

/** Items of a page when the reader does not say. */
export const defaultPageSize = 50

/** Items of a page at most; a larger `limit` is understood as this. */
export const maximumPageSize = 200

/** A page also ends when its entries have this many bytes. */
export const maximumPageBytes = 8 * 1024 * 1024
