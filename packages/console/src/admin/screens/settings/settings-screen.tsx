// Settings screen: admin keys, webhooks, walls and browser preferences.
import { Link, useSearch } from '@tanstack/react-router'
import { PageHead } from '../../../show/page-head.tsx'
import { useMayOrganise } from '../../session-context.tsx'
import { AdminKeys } from './admin-keys.tsx'
import { Preferences } from './preferences.tsx'
import { Walls } from './walls.tsx'
import { Webhooks } from './webhooks.tsx'

const tabs = {
  access: 'People with access',
  webhooks: 'Webhooks',
  walls: 'Walls',
  reader: 'This browser',
} as const

export function SettingsScreen() {
  const { tab } = useSearch({ from: '/console/settings' })
  const mayOrganise = useMayOrganise()
  const names = Object.entries(tabs).filter(([name]) => mayOrganise || name === 'reader')
  const shown = names.find(([name]) => name === tab)?.[0] ?? names[0]?.[0]
  return (
    <>
      <PageHead title="Settings" />
      <nav className="tabs" aria-label="Settings">
        {names.map(([name, label]) => (
          <Link
            key={name}
            to="/console/settings"
            search={{ tab: name }}
            className="tab"
            data-status={name === shown ? 'active' : undefined}
            aria-current={name === shown ? 'page' : undefined}
          >
            {label}
          </Link>
        ))}
      </nav>
      {shown === 'access' ? (
        <AdminKeys />
      ) : shown === 'webhooks' ? (
        <Webhooks />
      ) : shown === 'walls' ? (
        <Walls />
      ) : (
        <Preferences />
      )}
    </>
  )
}
