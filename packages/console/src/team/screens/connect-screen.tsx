// Setup of a tool: choose it, copy two snippets, and watch for the first call.

import { type KnownTool, knownTools } from '@fairgate/contracts/agents/known-tools.ts'
import type { CallsPage } from '@fairgate/contracts/calls/call-list.ts'
import type { OwnKey, OwnLogToken, SelfModels } from '@fairgate/contracts/console/self.ts'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { readOf, useAction, useRead } from '../../api/use-read.ts'
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
              // The quick model everywhere: a first attempt should not spend an hour's budget.
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
                        <summary>Manual setup</summary>
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

/** Manual setup: the key in the shell, then the tool's own configuration. */
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
        <p className="small muted">Your key stays in this tab until you close it.</p>
      )}
      <p className="small muted">
        In PowerShell: <code>$env:FAIRGATE_KEY="…"</code>
      </p>
      <Code title={`2. ${before}`} code={code} copied={code} />
      {after === '' ? null : <p className="small muted">{after}</p>}
    </div>
  )
}

/** The recorder comes first, then the tool: work that was not recorded cannot be recorded later. */
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
        Run this in a terminal, in your team's repository. The line from your join link has already done all
        of it.
      </p>
      <Code title="1. Recorder" code={`${install}\n${init}`} copied={`${install}\n${init}`} />
      <RecorderLine />
      {tool.isRecorded ? null : (
        <p className="small muted">
          {tool.title} has no hooks: its calls count, but its work is not recorded.
        </p>
      )}
      {tool.connects === true ? (
        <>
          <Code title={`2. ${tool.title}`} code={connect} copied={connect} />
          <p className="small muted">
            It asks for your key and shows its changes first. <code>fairgate-recorder disconnect</code> undoes
            them.
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

/** For a member without a log token, who only took a key when joining or has another laptop. */
function RecorderLine() {
  const { member, addresses } = useSelf()
  const [line, setLine] = useState<string | null>(null)
  const make = useAction<object, OwnLogToken>({ method: 'POST', path: '/self/log_tokens', changes: [] })
  if (member === null) return null
  const isWindows = /Windows/.test(navigator.userAgent)
  return (
    <>
      <p className="small muted">
        The second command asks for a log token. If you joined with only a key, or use another laptop, get a
        line that includes one.
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
            Paste it into {isWindows ? 'PowerShell' : 'a terminal'}, in your team's repository. It installs
            the recorder, which logs your work under your name.
          </p>
        </SecretOnce>
      )}
    </>
  )
}

/** `copied`: null if copying the code as shown would be useless. */
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

/** Lets a member create another key, which is shown once and can then be copied from this tab. */
function NoKeyHeld() {
  const { member } = useSelf()
  const { hold } = useHeldKey()
  const [made, setMade] = useState<string | null>(null)
  const make = useAction<object, OwnKey>({ method: 'POST', path: '/self/keys', changes: ['/self'] })
  return (
    <>
      <p className="small muted">
        Keys are stored as digests, so this page does not have yours. Replace the dots, or sign in with your
        key to copy the whole line.
      </p>
      {member === null ? null : (
        <div>
          <Button
            variant="default"
            loading={make.isPending}
            onClick={() => make.mutate({}, { onSuccess: ({ key }) => setMade(key) })}
          >
            Create a key…
          </Button>
        </div>
      )}
      <FailureNote text={make.error?.message} />
      {made === null ? null : (
        <SecretOnce title="Your new key" secret={made} onClose={() => hold(made)}>
          <p className="muted">It spends from your team's budget, like your other keys.</p>
        </SecretOnce>
      )}
    </>
  )
}

/** Waits for the next call after the button is pressed, and shows its outcome. */
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
        <span className="small muted">waits for your team's next call</span>
      </div>
    )
  const call = hasCome ? newestSince(calls.data?.items ?? [], waitsSince) : undefined
  return (
    <div className="row wrap" role="status" data-test-of-call>
      {call === undefined ? (
        <Badge tone="info">Waiting for a call… Use your tool now.</Badge>
      ) : call.outcome === 'completed' ? (
        <Badge tone="ok">A call arrived and was answered. It works.</Badge>
      ) : (
        <>
          <Badge tone="bad">
            {call.outcome === 'refused'
              ? `A call arrived and was refused: ${refusalHeadline(call.code)}`
              : 'A call arrived, but its answer did not finish'}
          </Badge>
          <TeamLink href={`/calls?call=${encodeURIComponent(call.call_id)}`}>View call</TeamLink>
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

/** Sorts by the last time, because equal refusals in a row are one item, placed where the first one is. */
function newestSince(
  items: CallsPage['items'],
  since: string | null,
): CallsPage['items'][number] | undefined {
  const [newest] = items.toSorted((one, other) => Date.parse(other.last_at) - Date.parse(one.last_at))
  return newest !== undefined && (since === null || Date.parse(newest.last_at) > Date.parse(since))
    ? newest
    : undefined
}
