// Copies a text, and says for a moment that it did.
import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { copyText } from './copy-text.ts'

const shownMs = 1600

/** `isIcon`: small, beside what it copies. */
export function CopyButton({
  text,
  label = 'Copy',
  isIcon = false,
}: {
  readonly text: string
  readonly label?: string
  readonly isIcon?: boolean
}) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle')
  useEffect(() => {
    if (state === 'idle') return
    const timer = setTimeout(() => setState('idle'), shownMs)
    return () => clearTimeout(timer)
  }, [state])
  const copy = () => {
    copyText(text).then(
      () => setState('copied'),
      () => setState('failed'),
    )
  }
  const said =
    state === 'copied' ? 'Copied' : state === 'failed' ? 'Select the text and copy it yourself' : label
  const icon = state === 'copied' ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />
  if (isIcon)
    return (
      <Tooltip label={said}>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={said} onClick={copy}>
          {icon}
        </ActionIcon>
      </Tooltip>
    )
  return (
    <Button variant="default" size="xs" flex="none" leftSection={icon} onClick={copy} aria-live="polite">
      {said}
    </Button>
  )
}

/** Shown whole, to be copied. */
export function CopiedCode({ text }: { readonly text: string }) {
  return (
    <span className="row">
      <code className="foreign">{text}</code>
      <CopyButton text={text} isIcon />
    </span>
  )
}
