// The table that reports of spend are read from: sums of five minutes, kept in the transaction of each charge.

/** How long a bucket is. Offsets of all time zones are multiples of it, so that hours and days of any zone are whole buckets. */
export const bucketMs = 300_000

/** What a key spent on a model, or was refused, in the five minutes from `bucket_start`. Money in nano-dollars. */
export type SpendBucketsTable = {
  /** Unix ms, by the time that the ids of the calls begin with. */
  bucket_start: number
  team_id: string
  key_hash: string
  /** '' for refusals of which it is not known. */
  model_id: string
  /** '' for charges, else the code of the error that refused. */
  code: string
  /** Whoever wrote the row: no two writers wait for each other. A sum is that of all rows. */
  writer: number
  calls: number
  cost_nano: number
}

export type SpendSchema = { spend_buckets: SpendBucketsTable }
