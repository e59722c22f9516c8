import { pluralIn } from '../../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('es')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  fromTerminal: 'Convertir un archivo desde una terminal',
  title: 'Referencia de la API',
  events: 'Eventos: webhooks, WebSockets, streams',
  errors: 'Errores',
  search: 'Buscar operaciones',
  found: (count) => plural(count, 'operación', 'operaciones'),
  contents: 'Operaciones',
  about: (name) => `Introducción: ${name}`,
  toAll: 'Todas las operaciones',
  command: 'Solicitud de ejemplo',
  parameters: 'Parámetros',
  requestBody: 'Cuerpo de la solicitud',
  response: 'Respuesta',
  example: 'Respuesta de ejemplo',
  statusCodes: 'Códigos de estado',
  field: 'Campo',
  type: 'Tipo',
  meaning: 'Descripción',
  status: 'Estado',
  required: 'obligatorio',
  nothing: 'Ninguno.',
  locations: { path: 'ruta', query: 'consulta', header: 'encabezado' },
  open: 'No requiere autenticación.',
  openOr: (scopes) => `No requiere autenticación; las claves y los tokens necesitan ${scopes}.`,
  needs: (scopes) => `Necesita ${scopes}.`,
  authentication: 'autenticación',
  unreachable: 'No se pudo cargar la descripción de la API. Compruebe la conexión e inténtelo de nuevo.',
}

export default words
