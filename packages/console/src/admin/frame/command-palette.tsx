// Command palette: finds screens, teams, people, keys, calls and entries by typed or pasted text. Secrets are looked up by digest only.

import type { LookupItem, LookupReply } from '@fairgate/contracts/console/lookup.ts'
import { Modal, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useDeferredValue, useId, useState } from 'react'
import { usePageParts } from '../../live/live-context.tsx'
import { useFocusReturn } from '../../show/dialog.tsx'
import { ForeignText } from '../../show/foreign.tsx'
import { useMayRead, useSession } from '../session-context.tsx'
import { placesFor } from './navigation.ts'

type Found = {
  readonly id: string
  readonly label: React.ReactNode
  readonly kind: string
  readonly to: string
}

export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  useFocusReturn()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState(0)
  const list = useId()
  const navigate = useNavigate()
  const { role } = useSession()
  const asked = useDeferredValue(text.trim())
  const found = useLookup(asked)
  const places = placesFor(role)
    .flatMap(({ places: each }) => each)
    .filter(({ label }) => label.toLowerCase().includes(asked.toLowerCase()))
    .map(({ to, label }): Found => ({ id: to, label, kind: 'page', to }))
  const items = asked === '' ? places : [...found.map(describeFound), ...places]
  const go = (item: Found | undefined) => {
    if (item === undefined) return
    onClose()
    void navigate({ to: item.to })
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : -1
      setChosen((chosen + step + items.length) % Math.max(1, items.length))
    } else if (event.key === 'Enter') {
      event.preventDefault()
      go(items[chosen])
    }
  }
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding="sm"
      size={560}
      aria-label="Search or jump to"
    >
      <TextInput
        data-autofocus
        placeholder="A team, person, key, call, entry (team#12) or page"
        aria-label="Search or jump to"
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={`${list}-${chosen}`}
        value={text}
        maxLength={256}
        autoComplete="off"
        onChange={event => {
          setText(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={press}
      />
      <div role="listbox" id={list} aria-label="Results" className="palette">
        {items.length === 0 ? <p className="empty">No matches</p> : null}
        {items.map((item, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus and names the chosen option.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
          <div
            key={`${item.kind} ${item.id}`}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className="palette-item"
            onClick={() => go(item)}
            onMouseMove={() => setChosen(index)}
          >
            <span className="grow cut">{item.label}</span>
            <span className="faint small">{item.kind}</span>
          </div>
        ))}
      </div>
    </Modal>
  )
}

const shortestSecret = 20

function useLookup(text: string): readonly LookupItem[] {
  const { send } = usePageParts()
  const mayLook = useMayRead('judges')
  const isSecret = /^(?:sk-|aitc_|adm-)/.test(text)
  const { data } = useQuery({
    queryKey: ['/lookup', text],
    // Part of a secret matches nothing and must not leave this page.
    enabled: mayLook && text !== '' && !(isSecret && text.length < shortestSecret),
    gcTime: 0,
    queryFn: async ({ signal }) => {
      const value = isSecret ? await digest(text) : text
      return send<LookupReply>('POST', '/lookup', { body: { value }, signal })
    },
  })
  return data?.items ?? []
}

/** SHA-256 in hexadecimal. Browsers offer it only over TLS and on localhost. */
async function digest(text: string): Promise<string> {
  if (crypto.subtle === undefined) return text.slice(-4)
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return [...bytes].map(byte => byte.toString(16).padStart(2, '0')).join('')
}

const pathOf: Readonly<Record<LookupItem['kind'], (item: LookupItem) => string>> = {
  team: ({ id }) => `/console/teams/${encodeURIComponent(id)}`,
  member: ({ team_id }) => `/console/teams/${encodeURIComponent(team_id ?? '')}/people`,
  key: ({ team_id }) => `/console/teams/${encodeURIComponent(team_id ?? '')}/people`,
  log_token: ({ team_id }) => `/console/teams/${encodeURIComponent(team_id ?? '')}/people`,
  model: () => '/console/models',
  call: ({ id }) => `/console/calls?call=${encodeURIComponent(id)}`,
  entry: ({ id }) => `/console/entries/${id.split('#').map(encodeURIComponent).join('/')}`,
}

function describeFound(item: LookupItem): Found {
  return {
    id: item.id,
    kind: item.kind.replace('_', ' '),
    to: pathOf[item.kind](item),
    label: (
      <>
        <ForeignText text={item.name === '' ? item.id : item.name} most={60} />{' '}
        <code className="faint">{item.id === item.name ? '' : item.id.slice(0, 24)}</code>
      </>
    ),
  }
}
