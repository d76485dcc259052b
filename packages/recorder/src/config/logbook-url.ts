// Says what is wrong with an address that somebody gives for the logbook or the gateway.

export type UrlJudgement =
  | { readonly isUsable: true; readonly warning: string | null }
  | { readonly isUsable: false; readonly reason: string }

/** Whether both addresses have the same scheme, host and port. */
export function isSameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && URL.canParse(other) && new URL(one).origin === new URL(other).origin
}

/** `secret`: what is sent there. */
export function judgeUrl(text: string, secret = 'the log token'): UrlJudgement {
  if (!URL.canParse(text)) return { isUsable: false, reason: 'it is not an address' }
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return { isUsable: false, reason: 'it begins neither with https:// nor with http://' }
  if (url.username !== '' || url.password !== '')
    return { isUsable: false, reason: 'it contains a user name or a password' }
  if (url.search !== '' || url.hash !== '') return { isUsable: false, reason: 'it has a query' }
  const isLocal = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname)
  const isOpen = url.protocol === 'http:' && !isLocal
  return {
    isUsable: true,
    warning: isOpen ? `the address is not https: others can read ${secret}` : null,
  }
}
