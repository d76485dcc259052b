// Opens the webhooks: their receivers, and the sender that notifies them of conditions that need an organiser.
import type { Directory } from '../../directory/create-directory.ts'
import type { Attention } from '../../insight/attention/attention.ts'
import { unlessReported } from '../../store/open-store.ts'
import { resolveHost } from '../../upstream/remote-media/find-public-address.ts'
import type { World } from '../../world/world.ts'
import { createSecretSeal } from './secret-seal.ts'
import { WebhookSender } from './webhook-sender.ts'
import { WebhookService } from './webhook-service.ts'

/** Its stop aborts deliveries in progress; another process, or the next start, sends them. */
export function openWebhooks(
  world: World,
  { conditions }: Attention,
  { event }: Pick<Directory, 'event'>,
): WebhookService {
  const { config, secrets, store, randomBytes, log, onStop } = world
  const sending = {
    ...world,
    ...store,
    resolve: resolveHost,
    fetch,
    allowsPrivate: config.settings.webhooks.allow_private_addresses,
    seal: createSecretSeal(secrets.joinKey, randomBytes),
  }
  const sender = new WebhookSender({
    ...sending,
    conditions,
    event,
    reportFailure: unlessReported(error =>
      log.warn({ err: error }, 'Webhook delivery failed; retrying in 10 seconds.'),
    ),
    reportDropped: count =>
      log.warn({ events: count }, 'Events for a webhook were dropped: too many are waiting for it already.'),
  })
  onStop(sender.stop)
  return new WebhookService(sending)
}
