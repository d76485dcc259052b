// Sign-in form that asks for a key.
import { Button, PasswordInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { BrandSign } from './brand.tsx'
import { FailureNote } from './failure-note.tsx'

export function SignInForm({
  title,
  label,
  description,
  verb,
  size = 'sm',
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
  readonly failure: string | null
  readonly isSending: boolean
  readonly onKey: (key: string) => void
  /** Below the button. */
  readonly children?: ReactNode
}) {
  const [key, setKey] = useState('')
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
          <PasswordInput
            label={label}
            description={description}
            value={key}
            onChange={event => setKey(event.currentTarget.value)}
            size={size}
            autoComplete="current-password"
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
