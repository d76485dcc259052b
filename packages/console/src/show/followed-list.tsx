// Controls above a live list: a switch to follow it, and a button that shows what has arrived.
import { Button, Switch } from '@mantine/core'
import type { useFollowedList } from '../live/use-followed-list.ts'

type Followed = Pick<
  ReturnType<typeof useFollowedList>,
  'isFollowing' | 'setFollowing' | 'waiting' | 'showWaiting'
>

export function FollowSwitch({ list }: { readonly list: Followed }) {
  return (
    <Switch
      label="Follow"
      checked={list.isFollowing}
      onChange={event => list.setFollowing(event.currentTarget.checked)}
    />
  )
}

export function WaitingButton({ list, what }: { readonly list: Followed; readonly what: string }) {
  if (list.waiting === 0) return null
  return (
    <Button size="xs" onClick={list.showWaiting}>
      ▲ {what}
    </Button>
  )
}
