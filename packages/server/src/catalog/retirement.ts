// Announces the retirement of a model to callers in reply headers (RFC 9745, RFC 8594).
import type { CatalogModel } from './types.ts'

const dayMs = 86_400_000
/** Days before the model's last day on which the announcement starts. */
const noticeDays = 90

/** `deprecation` (since when) and `sunset` (the day itself); none while the end is far away or not announced. */
export function retirementHeaders(
  { retiresOn }: Pick<CatalogModel, 'retiresOn'>,
  now: number,
): Readonly<Record<string, string>> {
  if (retiresOn === null) return {}
  const end = Date.parse(retiresOn)
  const noticeFrom = end - noticeDays * dayMs
  if (now < noticeFrom) return {}
  return {
    deprecation: `@${noticeFrom / 1000}`,
    sunset: new Date(end).toUTCString(),
  }
}
