export { appointmentsRoutes } from "./appointments.routes.ts";
export {
  AppAppointmentCreate,
  Appointment,
  AppointmentCancel,
  AppointmentFinish,
  AppointmentListQuery,
  AppointmentPage,
  AppointmentReschedule,
} from "./appointments.schema.ts";
export { type AppointmentsDeps, bookAppointment } from "./book-appointment.ts";
export { bookFreeTime } from "./book-free-time.ts";
export { cancelAppointment } from "./cancel-appointment.ts";
export { finishAppointment } from "./finish-appointment.ts";
export { patchAppointment } from "./patch-appointment.ts";
export { listAppointments } from "./read-appointments.ts";
export { readCalendarFile } from "./read-calendar-file.ts";
