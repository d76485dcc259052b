// The name of a repository is the last part of its origin's address (spec 2.10). No other part of the address may leave the machine.

/** `git@host:team/project.git` → `project`. The name never contains a user name or token from the address. */
export function repositoryName(originUrl: string): string {
  const address = originUrl.trim().replace(/[/\\]+$/, '')
  const isUrl = /^[a-z][a-z0-9+.-]*:\/\//i.test(address)
  const path = isUrl ? address.replace(/^[^:]+:\/\/[^/]*/, '') : address.replace(/^[^/\\:]{2,}:/, '')
  const last = path.split(/[/\\]/).findLast(segment => segment !== '')
  const name = last ?? address.replace(/^[^:]+:\/\//, '').replace(/^.*@/, '')
  return name === '.git' ? '.git' : name.replace(/\.git$/, '')
}
