// The table that spend reports are read from: sums of five minutes, updated in the transaction of each charge.

/** The length of a bucket. Offsets of all time zones are multiples of it, so that hours and days of any zone are whole buckets. */
export const bucketMs = 300_000

/** A key's spend and refusals on a model in the five minutes from `bucket_start`. Money in nano-dollars. */
export type SpendBucketsTable = {
  /** Unix ms, by the time at the start of the calls' ids. */
  bucket_start: number
  team_id: string
  key_hash: string
  /** '' for refusals with an unknown model. */
  model_id: string
  /** '' for charges, otherwise the error code of the refusal. */
  code: string
  /** The writer of the row: no two writers wait for each other. A sum is that of all rows. */
  writer: number
  calls: number
  cost_nano: number
}

export type SpendSchema = { spend_buckets: SpendBucketsTable }
