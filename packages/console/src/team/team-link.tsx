// A link to another screen of the team page.
import { useRouter, useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PageLink } from '../show/page-link.tsx'

export function useGo(): (href: string) => void {
  const router = useRouter()
  return href => void router.navigate({ href })
}

/** `isTab`: marked while its screen is shown. */
export function TeamLink({
  href,
  className,
  children,
  isTab = false,
}: {
  readonly href: string
  readonly className?: string
  readonly children: ReactNode
  readonly isTab?: boolean
}) {
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname })
  const isShown = isTab && path === href.split('?')[0]
  return (
    <PageLink
      href={href}
      {...(className === undefined ? {} : { className })}
      {...(isShown ? { 'data-status': 'active', 'aria-current': 'page' as const } : {})}
    >
      {children}
    </PageLink>
  )
}

/** The address's query parameters, and a function that changes them. */
export function useTeamSearch(): readonly [
  Readonly<Record<string, string | undefined>>,
  (change: Readonly<Record<string, string | undefined>>) => void,
] {
  const router = useRouter()
  const { pathname, search } = useRouterState({
    select: ({ location }) => ({ pathname: location.pathname, search: location.searchStr }),
  })
  const values = Object.fromEntries(new URLSearchParams(search))
  const set = (change: Readonly<Record<string, string | undefined>>) => {
    const next = new URLSearchParams(search)
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined || value === '') next.delete(name)
      else next.set(name, value)
    }
    const text = next.toString()
    void router.navigate({ href: text === '' ? pathname : `${pathname}?${text}` })
  }
  return [values, set]
}
