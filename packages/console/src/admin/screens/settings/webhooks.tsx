// Addresses outside that are told what needs an organiser.

import type {
  NewWebhookReply,
  TestedWebhook,
  WebhookKind,
  WebhookList,
  WebhookRecord,
} from '@fairgate/contracts/management/webhooks.ts'
import { Alert, Button, Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import type { RequestFailure } from '../../../api/request.ts'
import { readOf, useRead } from '../../../api/use-read.ts'
import { countOf, formatCount } from '../../../format/number.ts'
import { usePageParts } from '../../../live/live-context.tsx'
import { ActDialog } from '../../../show/act-dialog.tsx'
import { Card } from '../../../show/card.tsx'
import { type Column, DataTable } from '../../../show/data-table.tsx'
import { Dialog } from '../../../show/dialog.tsx'
import { DialogButtons } from '../../../show/dialog-buttons.tsx'
import { ForeignText } from '../../../show/foreign.tsx'
import { Moment } from '../../../show/moment.tsx'
import { SecretOnce } from '../../../show/secret-once.tsx'
import { Empty, Loaded } from '../../../show/states.tsx'

export function Webhooks() {
  const list = useRead(readOf<WebhookList>('/webhooks'))
  const { send } = usePageParts()
  const [isMaking, setIsMaking] = useState(false)
  const [made, setMade] = useState<NewWebhookReply | null>(null)
  const [ending, setEnding] = useState<WebhookRecord | null>(null)
  const [tested, setTested] = useState<Readonly<Record<string, string>>>({})
  const test = async ({ webhook_id: id }: WebhookRecord) => {
    setTested(old => ({ ...old, [id]: 'asking…' }))
    const said = await send<TestedWebhook>('POST', `/webhooks/${encodeURIComponent(id)}/test`, {
      body: {},
    }).then(
      ({ ok, status, error, took_ms: took }) =>
        ok ? `took it (${status}, ${took} ms)` : `did not take it: ${error ?? status}`,
      (failure: RequestFailure) => failure.message,
    )
    setTested(old => ({ ...old, [id]: said }))
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
    {
      id: 'acts',
      head: <span className="hidden-text">Acts</span>,
      isEnd: true,
      cell: webhook => (
        <span className="row wrap">
          <span className="small muted" role="status">
            <ForeignText text={tested[webhook.webhook_id] ?? ''} most={80} />
          </span>
          <Button size="compact-xs" variant="default" onClick={() => void test(webhook)}>
            Test
          </Button>
          <Button size="compact-xs" variant="default" onClick={() => setEnding(webhook)}>
            Remove
          </Button>
        </span>
      ),
    },
  ]
  return (
    <Card
      title="Webhooks"
      note="Each message is signed; a message that is not taken is sent again for eight hours."
      isFlush
      action={
        <Button size="xs" leftSection={<Plus size={14} aria-hidden />} onClick={() => setIsMaking(true)}>
          New webhook
        </Button>
      }
    >
      <Loaded read={list} what="The list of webhooks" height={160}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty>
              Nobody is told outside of this console. Add an address of Slack, Discord or your own.
            </Empty>
          ) : (
            <DataTable
              caption="Webhooks"
              columns={columns}
              rows={items}
              idOf={({ webhook_id }) => webhook_id}
            />
          )
        }
      </Loaded>
      {isMaking ? (
        <NewWebhookDialog
          onClose={() => setIsMaking(false)}
          onMade={reply => {
            setIsMaking(false)
            setMade(reply)
          }}
        />
      ) : null}
      {made === null ? null : (
        <SecretOnce
          title="Its messages are signed with this"
          secret={made.secret}
          onClose={() => setMade(null)}
        />
      )}
      {ending === null ? null : (
        <ActDialog
          title="Remove the webhook"
          request={{
            method: 'DELETE',
            path: `/webhooks/${encodeURIComponent(ending.webhook_id)}`,
            body: {},
            isInQuery: true,
          }}
          verb="Remove"
          isDanger
          undo="What was dropped is not sent later."
          describe={() => (
            <>
              <ForeignText text={ending.url} most={80} /> is told nothing any more, and what waits for it (
              {countOf(ending.waiting, 'message')}) is dropped.
            </>
          )}
          onClose={() => setEnding(null)}
        />
      )}
    </Card>
  )
}

const kinds: readonly { readonly value: WebhookKind; readonly label: string }[] = [
  { value: 'json', label: 'JSON, for a program of yours' },
  { value: 'slack', label: 'Slack' },
  { value: 'discord', label: 'Discord' },
]

function NewWebhookDialog({
  onMade,
  onClose,
}: {
  readonly onMade: (reply: NewWebhookReply) => void
  readonly onClose: () => void
}) {
  const { send } = usePageParts()
  const queries = useQueryClient()
  const [url, setUrl] = useState('')
  const [kind, setKind] = useState<WebhookKind>('json')
  const [failure, setFailure] = useState<RequestFailure | null>(null)
  const make = async () => {
    setFailure(null)
    try {
      const reply = await send<NewWebhookReply>('POST', '/webhooks', { body: { url: url.trim(), kind } })
      await queries.invalidateQueries({ queryKey: ['/webhooks'] })
      onMade(reply)
    } catch (error) {
      setFailure(error as RequestFailure)
    }
  }
  return (
    <Dialog title="New webhook" onClose={onClose}>
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          void make()
        }}
      >
        <TextInput
          label="Address"
          description="https, at a public address"
          value={url}
          onChange={event => setUrl(event.currentTarget.value)}
          error={failure?.param === 'url' ? failure.message : null}
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
        {failure === null || failure.param === 'url' ? null : (
          <Alert color="red" role="alert">
            {failure.message}
          </Alert>
        )}
        <DialogButtons onCancel={onClose}>
          <Button type="submit" disabled={url.trim() === ''}>
            Add it
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
