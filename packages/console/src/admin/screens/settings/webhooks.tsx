// Addresses outside that are told what needs an organiser.

import type {
  NewWebhookReply,
  TestedWebhook,
  WebhookKind,
  WebhookRecord,
} from '@fairgate/contracts/management/webhooks.ts'
import { Button, Select } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../../api/use-read.ts'
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
      note="Each message is signed; a message that is not taken is sent again for eight hours."
      verb="New webhook"
      caption="Webhooks"
      path="/webhooks"
      none="Nobody is told outside of this console. Add an address of Slack, Discord or your own."
      columns={columns}
      idOf={({ webhook_id }) => webhook_id}
      acts={(webhook, choose) => (
        <span className="row wrap">
          <TestButton path={pathOf(webhook)} />
          <Button size="compact-xs" variant="default" onClick={() => choose(webhook)}>
            Remove
          </Button>
        </span>
      )}
      NewDialog={NewWebhookDialog}
      secretOf={({ secret }) => ({ title: 'Its messages are signed with this', secret })}
      openAct={(webhook, { onClose }) => (
        <RemoveDialog
          title="Remove the webhook"
          path={pathOf(webhook)}
          undo="What was dropped is not sent later."
          effect={
            <>
              <ForeignText text={webhook.url} most={80} /> is told nothing any more, and what waits for it (
              {countOf(webhook.waiting, 'message')}) is dropped.
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
  { id: 'kind', head: 'Form', from: 600, cell: ({ kind }) => kind },
  {
    id: 'state',
    head: 'State',
    cell: ({ fault }) => (fault === null ? 'On' : 'Off: add it again, its secret cannot be read'),
  },
  { id: 'events', head: 'Told of', from: 1024, cell: ({ events }) => `${events.length} kinds of events` },
  { id: 'sent', head: 'Sent, 30 days', isEnd: true, from: 768, cell: ({ sent }) => formatCount(sent) },
  { id: 'waiting', head: 'Waiting', isEnd: true, from: 768, cell: ({ waiting }) => formatCount(waiting) },
  { id: 'lost', head: 'Given up', isEnd: true, from: 768, cell: ({ given_up }) => formatCount(given_up) },
  {
    id: 'last',
    head: 'Last',
    from: 1024,
    cell: ({ last_sent_at }) => <Moment at={last_sent_at} as="ago" none="never" />,
  },
]

/** Sends a message that says what it is, and what the address answered. */
function TestButton({ path }: { readonly path: string }) {
  const { mutate, isPending, data, error } = useAct<object, TestedWebhook>({
    method: 'POST',
    path: `${path}/test`,
    changes: [],
  })
  const said = isPending
    ? 'asking…'
    : data === undefined
      ? (error?.message ?? '')
      : data.ok
        ? `took it (${data.status}, ${data.took_ms} ms)`
        : `did not take it: ${data.error ?? data.status}`
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
  { value: 'json', label: 'JSON, for a program of yours' },
  { value: 'slack', label: 'Slack' },
  { value: 'discord', label: 'Discord' },
]

function NewWebhookDialog({ onMade, onClose }: Making<NewWebhookReply>) {
  const [url, setUrl] = useState('')
  const [kind, setKind] = useState<WebhookKind>('json')
  const make = useAct<object, NewWebhookReply>({ method: 'POST', path: '/webhooks', changes: ['/webhooks'] })
  return (
    <FormDialog
      title="New webhook"
      verb="Add it"
      size={440}
      fields={['url']}
      isReady={url.trim() !== ''}
      act={make}
      onConfirm={() => make.mutate({ url: url.trim(), kind }, { onSuccess: onMade })}
      onClose={onClose}
    >
      <TextField
        label="Address"
        description="https, at a public address"
        value={url}
        onChange={setUrl}
        error={faultOf(make.error, 'url')}
        required
        data-autofocus
      />
      <Select
        label="Form of the messages"
        data={kinds}
        value={kind}
        allowDeselect={false}
        onChange={value => setKind((value ?? 'json') as WebhookKind)}
      />
    </FormDialog>
  )
}
