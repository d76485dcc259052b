// Ensures that all processes on a database have the same secrets, and that a restart still has the previous ones.
import { digestAdminKey, digestJoinKey } from '../config/join-key.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Store } from '../store/store.ts'

/** Number of digits that identify a key to the person who accepts it. */
const shownDigits = 16

/**
 * Rejects with an Error with instructions if the join key differs from that of the first start: digests of the two keys do not match, and
 * no one would notice. Another admin key only causes a warning, because a leaked one must be easy to replace.
 */
export async function agreeOnSecrets(
  write: Pick<Store['write'], 'agreeOnFact' | 'replaceFacts'>,
  secrets: Omit<Secrets, 'adminKeyOrigin' | 'videoStoreKeys'>,
  now: number,
  notices: { readonly warn: (fields: object, message: string) => void },
): Promise<void> {
  const { adminKey, joinKey, joinKeyPlace, acceptedJoinKey, databaseUrl } = secrets
  const digest = digestJoinKey(joinKey)
  const shown = digest.slice(0, shownDigits)
  if (acceptedJoinKey === shown)
    await write.replaceFacts({ facts: [{ name: 'join-key', value: digest, now }] })
  else if ((await write.agreeOnFact({ name: 'join-key', value: digest, now })) !== digest)
    throw new Error(
      `The join key of ${joinKeyPlace} is not the one that this database was first used with. Calls could no longer be matched with log entries by their texts, and webhooks would be off. ` +
        `Restore the key of the first start; processes on multiple machines need the same one. If that key is permanently lost, start with FAIRGATE_ACCEPT_JOIN_KEY=${shown}.`,
    )
  if (databaseUrl === null) return
  const name = 'admin-key'
  const adminDigest = digestAdminKey(joinKey, adminKey)
  if ((await write.agreeOnFact({ name, value: adminDigest, now })) === adminDigest) return
  await write.replaceFacts({ facts: [{ name, value: adminDigest, now }] })
  notices.warn(
    {},
    'The admin key differs from the one at the last start of a process on this database. If multiple processes run, give all of them the same FAIRGATE_ADMIN_KEY, or the same data folder.',
  )
}
