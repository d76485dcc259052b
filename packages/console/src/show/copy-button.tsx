// Button that copies a text and briefly confirms it.
import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { copyText } from './copy-text.ts'

const shownMs = 1600

/** `isIcon`: a small icon next to the text that it copies. */
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
    state === 'copied' ? 'Copied' : state === 'failed' ? 'Copy failed. Select the text instead.' : label
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

/** Shows the whole text with a copy button. */
export function CopiedCode({ text }: { readonly text: string }) {
  return (
    <span className="row">
      <code className="foreign">{text}</code>
      <CopyButton text={text} isIcon />
    </span>
  )
}
