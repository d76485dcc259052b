// Runs before the first paint and applies the reader's chosen theme or the system's. A file, because the policy forbids inline scripts.
const chosen = localStorage.getItem('mantine-color-scheme-value')
const asked = new URLSearchParams(location.search).get('theme')
const wanted = asked ?? chosen
const scheme =
  wanted === 'light' || wanted === 'dark'
    ? wanted
    : matchMedia('(prefers-color-scheme: dark)').matches
      ? 'dark'
      : 'light'
document.documentElement.setAttribute('data-mantine-color-scheme', scheme)
