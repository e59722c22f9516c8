import { signInReference } from '../../access/reference.ts'
import { liveReference } from '../../live/reference.ts'

/** Groups of operations in the order of the reference. */
export const tags = [
  { name: 'Conversion', description: 'Convert, merge or check files in one request.' },
  { name: 'Jobs', description: 'Pipelines of tasks, and the state and results of all jobs.' },
  {
    name: 'Uploads',
    description: 'Send large files to the storage directly, or have them fetched from a URL.',
  },
  {
    name: 'Uploads with Uppy',
    description: 'The endpoints that `@uppy/aws-s3` calls on a Companion server.',
  },
  { name: 'Formats', description: 'Supported formats, and the conversions between them with their options.' },
  { name: 'Live', description: liveReference },
  { name: 'Webhooks', description: 'Have events sent to your server, with signatures and retries.' },
  { name: 'Workflows', description: 'Pipelines of tasks that run on a schedule.' },
  { name: 'Drives', description: 'Import files from Google Drive, Dropbox, OneDrive and others.' },
  { name: 'Sign-in', description: signInReference },
  { name: 'Account', description: 'The account, its plan, usage and quota.' },
  { name: 'API keys', description: 'Keys for servers and web pages.' },
  { name: 'OAuth', description: 'Access tokens with the client credentials grant (RFC 6749, 4.4).' },
  {
    name: 'Administration',
    description: 'Accounts, sessions, the audit trail and service level indicators.',
  },
  { name: 'Service', description: 'Version, health, plans and these documents.' },
  { name: 'Pages', description: 'The website and other pages for people.' },
]
