// Shows untrusted text: names, prompts, outputs. Uses text nodes only, isolates their direction, and makes hidden characters visible.
import { TriangleAlert } from 'lucide-react'
import { Fragment } from 'react'
import { type Foreign, mixesScripts, readForeign } from '../format/foreign.ts'
import { countOf, formatBytes, formatCount } from '../format/number.ts'

/** One line: a name, a path, a first prompt. */
export function ForeignText({
  text,
  most = 400,
  className = '',
}: {
  readonly text: string
  readonly most?: number
  readonly className?: string
}) {
  const read = readForeign(text, { most })
  return (
    <bdi className={`foreign ${className}`}>
      <Parts read={read} />
      {read.cut > 0 ? '…' : null}
    </bdi>
  )
}

/** An id, for example of a model, session or file. */
export function ForeignId({ className, ...text }: Parameters<typeof ForeignText>[0]) {
  return (
    <code className={className}>
      <ForeignText {...text} />
    </code>
  )
}

/** The name of a team or person, with a warning if it may imitate another name. */
export function ForeignName({ name, most = 40 }: { readonly name: string; readonly most?: number }) {
  const isMixed = mixesScripts(name)
  return (
    <span
      className="foreign"
      title={name.length > most ? undefined : isMixed ? describeCodePoints(name) : undefined}
    >
      <ForeignText text={name} most={most} />
      {isMixed ? (
        <TriangleAlert
          size={12}
          color="var(--fill-warn)"
          role="img"
          aria-label="Mixes alphabets, so it may look like another name"
        />
      ) : null}
    </span>
  )
}

function describeCodePoints(name: string): string {
  return [...name]
    .map(character => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}`)
    .join(' ')
}

/** Several lines of prose. `lang=""`, because the language is unknown. */
export function ForeignBlock({ text, most = 5000 }: { readonly text: string; readonly most?: number }) {
  const read = readForeign(text, { keepsLines: true, most })
  return (
    <div lang="">
      <div className="foreign-block">
        <Parts read={read} />
      </div>
      <Remarks read={read} />
    </div>
  )
}

/** Code, output or JSON: left to right, in a fixed-width font. */
export function ForeignCode({ text, most = 5000 }: { readonly text: string; readonly most?: number }) {
  const read = readForeign(text, { keepsLines: true, most })
  return (
    <div lang="">
      <pre className="foreign-code">
        <Parts read={read} />
      </pre>
      <Remarks read={read} />
    </div>
  )
}

function Parts({ read }: { readonly read: Foreign }) {
  return read.parts.map((part, index) => {
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text have no other name, and never move.
    if (part.kind === 'plain') return <Fragment key={index}>{part.text}</Fragment>
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above.
      <span key={index} className="hidden-character">
        {part.kind === 'hidden' ? part.label : `+${formatCount(part.count)} marks`}
      </span>
    )
  })
}

function Remarks({ read }: { readonly read: Foreign }) {
  const remarks = [
    read.hidden > 0 ? `${countOf(read.hidden, 'invisible character')} shown` : null,
    read.escapes > 0 ? `${countOf(read.escapes, 'terminal sequence')} removed` : null,
    read.cut > 0 ? `${formatBytes(read.cut)} more` : null,
  ].filter(remark => remark !== null)
  return remarks.length === 0 ? null : <div className="small faint">{remarks.join(' · ')}</div>
}
