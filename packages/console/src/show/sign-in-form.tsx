// Sign-in form that asks for a key, or for a code from paper.
import { Button, PasswordInput, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { BrandSign } from './brand.tsx'
import { FailureNote } from './failure-note.tsx'

const codeField = {
  autoComplete: 'one-time-code',
  autoCapitalize: 'characters',
  spellCheck: false,
  maxLength: 64,
} as const

export function SignInForm({
  title,
  label,
  description,
  verb,
  size = 'sm',
  isCode = false,
  failure,
  isSending,
  onKey,
  children,
}: {
  readonly title: string
  readonly label: string
  readonly description: string
  readonly verb: string
  readonly size?: 'sm' | 'md'
  /** A short code, which is readable while it is typed. */
  readonly isCode?: boolean
  readonly failure: string | null
  readonly isSending: boolean
  readonly onKey: (key: string) => void
  /** Below the button. */
  readonly children?: ReactNode
}) {
  const [key, setKey] = useState('')
  const Field = isCode ? TextInput : PasswordInput
  return (
    <main className="sign-in">
      <div className="stack">
        <div className="row">
          <BrandSign size={32} />
          <h1>{title}</h1>
        </div>
        <form
          className="card card-body stack"
          onSubmit={event => {
            event.preventDefault()
            onKey(key.trim())
          }}
        >
          <Field
            label={label}
            description={description}
            value={key}
            onChange={event => setKey(event.currentTarget.value)}
            size={size}
            {...(isCode ? codeField : { autoComplete: 'current-password' })}
            autoFocus
            required
          />
          <FailureNote text={failure} />
          <Button type="submit" size={size} loading={isSending} disabled={key.trim() === ''} fullWidth>
            {verb}
          </Button>
          {children}
        </form>
      </div>
    </main>
  )
}
