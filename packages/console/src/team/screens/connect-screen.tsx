// How to connect a tool: choose it, copy two snippets, and see the first call arrive.

import { type KnownTool, knownTools } from '@fairgate/contracts/agents/known-tools.ts'
import type { CallsPage } from '@fairgate/contracts/calls/call-list.ts'
import type { OwnKey, OwnLogToken, SelfModels } from '@fairgate/contracts/console/self.ts'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { readOf, useAct, useRead } from '../../api/use-read.ts'
import { Badge } from '../../show/badge.tsx'
import { Card } from '../../show/card.tsx'
import { CopyButton } from '../../show/copy-button.tsx'
import { FailureNote } from '../../show/failure-note.tsx'
import { SecretOnce } from '../../show/secret-once.tsx'
import { Loaded } from '../../show/states.tsx'
import { useHeldKey } from '../held-key.tsx'
import { LightsCard } from '../parts/lights-card.tsx'
import { refusalHeadline } from '../parts/refusal-headline.ts'
import { useSelf } from '../self-context.tsx'
import { chooseModels, exportLine, listSnippets, recorderLine, type Snippet } from '../snippets.ts'
import { TeamLink, useTeamSearch } from '../team-link.tsx'

export function ConnectScreen() {
  const { addresses } = useSelf()
  const [search, set] = useTeamSearch()
  const models = useRead(readOf<SelfModels>('/self/models'))
  return (
    <>
      <h1>Connect a tool</h1>
      <div className="team-columns">
        <Card>
          <Loaded read={models} what="The models" height={400}>
            {({ items }) => {
              // The quick one everywhere: a first try should not spend the budget of an hour.
              const { quickModel } = chooseModels(items)
              const snippets = listSnippets({ base: addresses.gateway, model: quickModel, quickModel })
              const isTool = (id: string) => knownTools.some(tool => tool.id === id)
              const snippet = snippets.find(({ id }) => id === search.tool && !isTool(id))
              const tool = knownTools.find(({ id }) => id === search.tool) ?? knownTools[0]
              return (
                <div className="stack">
                  <div className="row wrap">
                    {[
                      ...knownTools.map(({ id, title }) => ({ id, name: title })),
                      ...snippets.filter(({ id }) => !isTool(id)),
                    ].map(({ id, name }) => (
                      <button
                        key={id}
                        type="button"
                        className="chip"
                        aria-pressed={id === (snippet ?? tool).id}
                        onClick={() => set({ tool: id })}
                      >
                        {name}
                      </button>
                    ))}
                  </div>
                  {snippet === undefined ? (
                    <CodingTool tool={tool} model={quickModel} />
                  ) : (
                    <ByHand snippet={snippet} />
                  )}
                  {snippets
                    .filter(({ id }) => snippet === undefined && id === tool.id)
                    .map(own => (
                      <details key={own.id}>
                        <summary>By hand</summary>
                        <ByHand snippet={own} />
                      </details>
                    ))}
                  <FirstCall />
                </div>
              )
            }}
          </Loaded>
        </Card>
        <LightsCard />
      </div>
    </>
  )
}

/** The key in the shell, then what the tool reads. */
function ByHand({ snippet: { before, code, after } }: { readonly snippet: Snippet }) {
  const { keys } = useSelf()
  const { key: held } = useHeldKey()
  const lastFour = held?.slice(-4) ?? keys.find(({ is_own }) => is_own)?.key_name.slice(-4) ?? ''
  return (
    <div className="stack">
      <Code
        title="1. Your key, in the shell"
        code={exportLine(null, lastFour)}
        copied={held === null ? null : exportLine(held, lastFour)}
      />
      {held === null ? (
        <NoKeyHeld />
      ) : (
        <p className="small muted">Only this tab knows your key, until it is closed.</p>
      )}
      <p className="small muted">
        In PowerShell: <code>$env:FAIRGATE_KEY="…"</code>
      </p>
      <Code title={`2. ${before}`} code={code} copied={code} />
      {after === '' ? null : <p className="small muted">{after}</p>}
    </div>
  )
}

/** Recorder first, then the tool: entries that nobody records cannot be recorded later. */
function CodingTool({ tool, model }: { readonly tool: KnownTool; readonly model: string }) {
  const { addresses } = useSelf()
  const install = `curl -fsSL ${addresses.logbook}/recorder/install.sh | sh`
  const init = `fairgate-recorder init --url ${addresses.logbook}`
  const connect = [
    'fairgate-recorder connect',
    `  --gateway ${addresses.gateway}`,
    `  --tools ${tool.id} --model ${model}`,
  ].join(' \\\n')
  return (
    <>
      <p className="muted">
        In a terminal, in the repository of your team. The line of your join link did all of this already.
      </p>
      <Code title="1. The recorder" code={`${install}\n${init}`} copied={`${install}\n${init}`} />
      <RecorderLine />
      {tool.isRecorded ? null : (
        <p className="small muted">
          {tool.title} has no hooks: its calls count, and its work is not recorded.
        </p>
      )}
      {tool.connects === true ? (
        <>
          <Code title={`2. ${tool.title}`} code={connect} copied={connect} />
          <p className="small muted">
            It asks for your key, shows what it will change, and <code>fairgate-recorder disconnect</code>{' '}
            undoes it.
          </p>
        </>
      ) : (
        <p className="small muted">
          {tool.title} {tool.connects}. Its work is recorded.
        </p>
      )}
    </>
  )
}

/** For a member who has no log token, because they only wanted a key when joining, or have another laptop. */
function RecorderLine() {
  const { member, addresses } = useSelf()
  const [line, setLine] = useState<string | null>(null)
  const make = useAct<object, OwnLogToken>({ method: 'POST', path: '/self/log_tokens', changes: [] })
  if (member === null) return null
  const isWindows = /Windows/.test(navigator.userAgent)
  return (
    <>
      <p className="small muted">
        It asks for a log token. If you joined with a key alone, or have another laptop, get a line that
        brings one.
      </p>
      <div>
        <Button
          variant="default"
          loading={make.isPending}
          onClick={() =>
            make.mutate(
              {},
              {
                onSuccess: ({ log_token: token }) =>
                  setLine(recorderLine(addresses.logbook, token, isWindows)),
              },
            )
          }
        >
          Get a recorder line…
        </Button>
      </div>
      <FailureNote text={make.error?.message} />
      {line === null ? null : (
        <SecretOnce title="Your recorder line" secret={line} onClose={() => setLine(null)}>
          <p className="muted">
            Paste it in {isWindows ? 'PowerShell' : 'a terminal'}, in the repository of your team. It installs
            the recorder, which logs your work in your name.
          </p>
        </SecretOnce>
      )}
    </>
  )
}

/** `copied`: null where copying what is shown would be of no use. */
function Code({
  title,
  code,
  copied,
}: {
  readonly title: string
  readonly code: string
  readonly copied: string | null
}) {
  return (
    <section>
      <div className="row-between team-snippet-head">
        <h2>{title}</h2>
        {copied === null ? null : (
          <CopyButton text={copied} label={copied === code ? 'Copy' : 'Copy with key'} />
        )}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard. */}
      <pre className="snippet" tabIndex={0}>
        {code}
      </pre>
    </section>
  )
}

/** A member may make a further key here: it is shown once, and this tab can copy it whole. */
function NoKeyHeld() {
  const { member } = useSelf()
  const { hold } = useHeldKey()
  const [made, setMade] = useState<string | null>(null)
  const make = useAct<object, OwnKey>({ method: 'POST', path: '/self/keys', changes: ['/self'] })
  return (
    <>
      <p className="small muted">
        Keys are kept as digests, so this page does not know yours. Replace the dots, or sign in by typing the
        key: it then can be copied whole.
      </p>
      {member === null ? null : (
        <div>
          <Button
            variant="default"
            loading={make.isPending}
            onClick={() => make.mutate({}, { onSuccess: ({ key }) => setMade(key) })}
          >
            Make a new key…
          </Button>
        </div>
      )}
      <FailureNote text={make.error?.message} />
      {made === null ? null : (
        <SecretOnce title="Your new key" secret={made} onClose={() => hold(made)}>
          <p className="muted">It spends from the budget of your team, as your other keys do.</p>
        </SecretOnce>
      )}
    </>
  )
}

/** Waits for a call that comes after the button was pressed, and tells what became of it. */
function FirstCall() {
  const { last_call: last } = useSelf()
  const [waitsSince, setWaitsSince] = useState<string | null | undefined>(undefined)
  const hasCome = waitsSince !== undefined && last !== waitsSince
  const calls = useRead(readOf<CallsPage>('/self/calls', { limit: 5 }), { isOff: !hasCome, everyMs: 2000 })
  if (waitsSince === undefined)
    return (
      <div className="row">
        <Button variant="default" onClick={() => setWaitsSince(last)}>
          Test it
        </Button>
        <span className="small muted">waits here for the next call of your team</span>
      </div>
    )
  const call = hasCome ? newestSince(calls.data?.items ?? [], waitsSince) : undefined
  return (
    <div className="row wrap" role="status" data-test-of-call>
      {call === undefined ? (
        <Badge tone="info">Waiting for a call… Use your tool now.</Badge>
      ) : call.outcome === 'completed' ? (
        <Badge tone="ok">A call has arrived and was answered. It works.</Badge>
      ) : (
        <>
          <Badge tone="bad">
            {call.outcome === 'refused'
              ? `A call has arrived and was refused: ${refusalHeadline(call.code)}`
              : 'A call has arrived, but was not answered to its end'}
          </Badge>
          <TeamLink href={`/calls?call=${encodeURIComponent(call.call_id)}`}>See the call</TeamLink>
        </>
      )}
      {call === undefined ? null : (
        <Button variant="default" size="xs" onClick={() => setWaitsSince(last)}>
          Test again
        </Button>
      )}
    </div>
  )
}

/** Equal refusals in a row are one item, at the place of the first of them. */
function newestSince(
  items: CallsPage['items'],
  since: string | null,
): CallsPage['items'][number] | undefined {
  const [newest] = items.toSorted((one, other) => Date.parse(other.last_at) - Date.parse(one.last_at))
  return newest !== undefined && (since === null || Date.parse(newest.last_at) > Date.parse(since))
    ? newest
    : undefined
}
