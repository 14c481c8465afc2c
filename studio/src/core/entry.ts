/** Scenarios and lessons that the page can open by name. */
import { lessonOf } from "./lessons";
import { library, START } from "./library";
import { allDisciplines, edit, read, resolve, withDiscipline } from "./scenario";

export interface Entry {
  text: string;
  /** The variable of the second plot. */
  inner: string | undefined;
}

/** `lesson/NAME`, an own lesson, `template/NAME`, `scenario/NAME`, `start`, or `queue/DISCIPLINE`: the start beside that discipline. */
export function entry(id: string): Entry | undefined {
  const [kind, name = ""] = id.split("/");
  const lesson = lessonOf(id);
  if (lesson || kind === "lesson") {
    return lesson && { text: lesson.scenario, inner: lesson.shows ?? undefined };
  }
  if (kind === "queue") {
    const discipline = allDisciplines().get(name);
    if (!discipline) return undefined;
    const text = withDiscipline(START, resolve(START, "b"), name);
    const title = read(START).title.replace(/beside .*/, `beside ${discipline.title}`);
    return { text: edit(text, "title", JSON.stringify(title)), inner: undefined };
  }
  const choice = library().flatMap((part) => part.choices).find((one) => one.id === id);
  return choice && { text: choice.text, inner: undefined };
}
