import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Creates a profile for LibreOffice in a folder, and returns the argument of `soffice` that selects it. With a new
 * profile, LibreOffice spends most of its time testing its graphics, because the profile has no last version.
 */
export function createOfficeProfile(folder: string): string {
  const userFolder = join(folder, 'profile', 'user')
  mkdirSync(userFolder, { recursive: true })
  writeFileSync(
    join(userFolder, 'registrymodifications.xcu'),
    `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
  <item oor:path="/org.openoffice.Setup/Product"><prop oor:name="ooSetupLastVersion" oor:op="fuse"><value>99.0</value></prop></item>
</oor:items>
`,
  )
  return `-env:UserInstallation=file://${join(folder, 'profile')}`
}
