// Webhooks: external addresses that receive what needs an organiser's attention.

import type {
  NewWebhookReply,
  TestedWebhook,
  WebhookKind,
  WebhookRecord,
} from '@fairgate/contracts/management/webhooks.ts'
import { Button, Select } from '@mantine/core'
import { useState } from 'react'
import { useAction } from '../../../api/use-read.ts'
import { countOf, formatCount } from '../../../format/number.ts'
import type { Column } from '../../../show/data-table.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { FormDialog, faultOf } from '../../../show/form-dialog.tsx'
import { Moment } from '../../../show/moment.tsx'
import { TextField } from '../../../show/text-field.tsx'
import { type Making, RemoveDialog, SecretsCard } from './secrets-card.tsx'

export function Webhooks() {
  return (
    <SecretsCard<WebhookRecord, NewWebhookReply, WebhookRecord>
      title="Webhooks"
      note="Messages are signed. Failed deliveries are retried for eight hours."
      verb="New webhook"
      caption="Webhooks"
      path="/webhooks"
      none="Only people signed in to this console will see events. Add a Slack, Discord or custom address."
      columns={columns}
      idOf={({ webhook_id }) => webhook_id}
      actions={(webhook, choose) => (
        <span className="row wrap">
          <TestButton path={pathOf(webhook)} />
          <Button size="compact-xs" variant="default" onClick={() => choose(webhook)}>
            Remove
          </Button>
        </span>
      )}
      NewDialog={NewWebhookDialog}
      secretOf={({ secret }) => ({ title: 'Signing secret', secret })}
      openAction={(webhook, { onClose }) => (
        <RemoveDialog
          title="Remove webhook"
          path={pathOf(webhook)}
          undo="Dropped messages are not sent later."
          effect={
            <>
              <ForeignText text={webhook.url} most={80} /> will get no more messages, and its queue (
              {countOf(webhook.waiting, 'message')}) will be dropped.
            </>
          }
          onClose={onClose}
        />
      )}
    />
  )
}

function pathOf({ webhook_id }: WebhookRecord): string {
  return `/webhooks/${encodeURIComponent(webhook_id)}`
}

const columns: readonly Column<WebhookRecord>[] = [
  { id: 'url', head: 'Address', cell: ({ url }) => <ForeignText text={url} most={60} /> },
  { id: 'kind', head: 'Format', from: 600, cell: ({ kind }) => kind },
  {
    id: 'state',
    head: 'State',
    cell: ({ fault }) => (fault === null ? 'On' : 'Off: its secret cannot be read. Add the webhook again.'),
  },
  { id: 'events', head: 'Events', from: 1024, cell: ({ events }) => `${events.length} kinds` },
  { id: 'sent', head: 'Sent (30 days)', isEnd: true, from: 768, cell: ({ sent }) => formatCount(sent) },
  { id: 'waiting', head: 'Waiting', isEnd: true, from: 768, cell: ({ waiting }) => formatCount(waiting) },
  { id: 'lost', head: 'Given up', isEnd: true, from: 768, cell: ({ given_up }) => formatCount(given_up) },
  {
    id: 'last',
    head: 'Last sent',
    from: 1024,
    cell: ({ last_sent_at }) => <Moment at={last_sent_at} as="ago" none="never" />,
  },
]

/** Sends a test message and shows the response of the address. */
function TestButton({ path }: { readonly path: string }) {
  const { mutate, isPending, data, error } = useAction<object, TestedWebhook>({
    method: 'POST',
    path: `${path}/test`,
    changes: [],
  })
  const said = isPending
    ? 'Sending…'
    : data === undefined
      ? (error?.message ?? '')
      : data.ok
        ? `Delivered (${data.status}, ${data.took_ms} ms)`
        : `Failed: ${data.error ?? data.status}`
  return (
    <>
      <span className="small muted" role="status">
        <ForeignText text={said} most={80} />
      </span>
      <Button size="compact-xs" variant="default" onClick={() => mutate({})}>
        Test
      </Button>
    </>
  )
}

const kinds: readonly { readonly value: WebhookKind; readonly label: string }[] = [
  { value: 'json', label: 'JSON, for your own program' },
  { value: 'slack', label: 'Slack' },
  { value: 'discord', label: 'Discord' },
]

function NewWebhookDialog({ onMade, onClose }: Making<NewWebhookReply>) {
  const [url, setUrl] = useState('')
  const [kind, setKind] = useState<WebhookKind>('json')
  const make = useAction<object, NewWebhookReply>({
    method: 'POST',
    path: '/webhooks',
    changes: ['/webhooks'],
  })
  return (
    <FormDialog
      title="New webhook"
      verb="Add webhook"
      size={440}
      fields={['url']}
      isReady={url.trim() !== ''}
      action={make}
      onConfirm={() => make.mutate({ url: url.trim(), kind }, { onSuccess: onMade })}
      onClose={onClose}
    >
      <TextField
        label="Address"
        description="A public https address"
        value={url}
        onChange={setUrl}
        error={faultOf(make.error, 'url')}
        required
        data-autofocus
      />
      <Select
        label="Message format"
        data={kinds}
        value={kind}
        allowDeselect={false}
        onChange={value => setKind((value ?? 'json') as WebhookKind)}
      />
    </FormDialog>
  )
}
