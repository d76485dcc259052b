// Safe steps into JSON of unknown shape: the vendor adds members weekly, and none of them may break us.

export type JsonRecord = { readonly [member: string]: unknown }

export function asRecord(value: unknown): JsonRecord | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : null
}

/** False where the member is missing, or null. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

const none: readonly never[] = []

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : none
}

export function asString(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** The member under either spelling: the vendor writes camelCase, some of its documents snake_case. */
export function eitherMember(record: JsonRecord, camel: string, snake: string): unknown {
  return record[camel] ?? record[snake]
}

/** More tokens than any model takes: a figure above this is a fault, not a use. */
const absurd = 100_000_000

/** A missing count is 0 (upstreams drop defaults); null when it cannot be a count. */
export function readTokenCount(value: unknown): number | null {
  const count = value ?? 0
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 && count <= absurd
    ? count
    : null
}
