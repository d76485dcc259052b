// Actions menu at the end of a row.
import { ActionIcon, Menu } from '@mantine/core'
import { MoreHorizontal } from 'lucide-react'
import type { ReactNode } from 'react'

export function ActionsMenu({ of, children }: { readonly of: string; readonly children: ReactNode }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${of}`}>
          <MoreHorizontal size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  )
}
