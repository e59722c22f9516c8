/** What is said of drives. */
const names: Readonly<Record<string, string>> = {
  'google-drive': 'Google Drive',
  dropbox: 'Dropbox',
  onedrive: 'OneDrive',
}

export default {
  names,
  from: (name: string) => `From ${name}`,
  title: (name: string) => `Files in ${name}`,
  close: 'Close',
  connect: 'Connect',
  notConnected: 'The drive is not connected.',
  refused: 'The drive was not connected: it was not agreed to.',
  search: 'Search by name',
  find: 'Search',
  back: 'Back',
  files: 'Files',
  nothing: 'There is nothing here.',
  more: 'More',
  take: (count: number) => (count === 1 ? 'Take 1 file' : `Take ${count} files`),
  busy: 'Please wait',
  disconnect: 'Disconnect',
  notFetched: 'The files could not be fetched from the drive.',
}
