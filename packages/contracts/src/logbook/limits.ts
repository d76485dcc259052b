// The limits of the logbook (spec 8), shared by the service that enforces them and the clients that respect them.

/** The most entries in one `POST /api/ingest`. */
export const maximumEntriesPerRequest = 500

/** The most bytes in the body of one `POST /api/ingest`. */
export const maximumBodyBytes = 16 * 1024 * 1024

/** The most bytes of one entry as UTF-8 JSON. */
export const maximumEntryBytes = 4 * 1024 * 1024

/** How deeply the values of one entry may be nested. The entry itself is level 1. */
export const maximumEntryDepth = 64

/** The most Unicode code points in the short text members of an entry. */
export const maximumNameLength = 512

/** Members that are cut to this many Unicode code points when they are stored (spec 2.10, 8). */
export const truncationLimits = { prompt: 1000, tool_response: 4000, response_summary: 4000 } as const

/** The default number of items on a page. */
export const defaultPageSize = 50

/** The most items on a page. A larger `limit` counts as this one. */
export const maximumPageSize = 200

/** A page also ends once its entries have this many bytes. */
export const maximumPageBytes = 8 * 1024 * 1024
