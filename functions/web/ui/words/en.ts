/** What all sections of the desk say. */
export default {
  signIn: 'Sign in',
  signInFirst: 'Sign in to see this.',
  retry: 'Try again',
  loading: 'Loading',
  keep: 'No, keep it',
  copy: 'Copy',
  copied: 'Copied.',
}
