import { pluralIn } from '../../../words/plural.ts'
import type en from './en.ts'

const plural = pluralIn('es')

/** Machine translation, not yet checked by a native speaker. */
const words: typeof en = {
  title: 'Historial',
  lead: 'Las conversiones, hasta que caducan.',
  state: 'Estado',
  tag: 'Etiqueta',
  target: 'Formato',
  any: 'Cualquiera',
  states: {
    pending: 'Esperando archivos',
    queued: 'En cola',
    processing: 'En curso',
    completed: 'Terminado',
    failed: 'Fallido',
    cancelled: 'Cancelado',
    expired: 'Caducado',
  },
  taskStates: {
    pending: 'En espera',
    processing: 'En curso',
    completed: 'Terminada',
    failed: 'Fallida',
    cancelled: 'Cancelada',
  },
  job: 'Trabajo',
  created: 'Iniciado',
  expires: 'Disponible hasta',
  result: 'Resultado',
  none: 'Todavía no hay conversiones.',
  older: 'Anteriores',
  deleteChosen: (count) =>
    count === 1 ? 'Eliminar este trabajo' : `Eliminar ${plural(count, 'trabajo', 'trabajos')}`,
  zip: 'Descargar como ZIP',
  noZip: 'No se pudo crear el ZIP.',
  confirm: 'No se puede deshacer.',
  deleted: 'Eliminado',
  restarted: 'Reiniciado',
  until: (time) => `Disponible hasta: ${time}.`,
  tasks: 'Tareas',
  task: 'Tarea',
  operation: 'Operación',
  duration: 'Duración',
  when: 'Cronología',
  cancel: 'Cancelar',
  again: 'Repetir',
  remove: 'Eliminar',
  toAll: 'Todos los trabajos',
}

export default words
