// Questions: one or several, each with options to choose one or some of, and room for own words.
import { useState } from "preact/hooks";
import type { Prompt, PromptChoice, PromptQuestion } from "../api/types";
import { answer } from "../store/answer";
import { type Choice, answers, chosen, complete, none } from "./choice";

export function Question({ prompt }: { prompt: Prompt }) {
  const questions = prompt.questions ?? [];
  const [choices, set] = useState<Choice[]>(() => questions.map(() => none));
  const change = (place: number, choice: Choice) => set(choices.map((old, at) => (at === place ? choice : old)));
  const send = (all: Choice[]) => answer(prompt.id, { answers: answers(all) });
  // One question with one answer needs no second tap.
  const [only] = questions;
  const quick = questions.length === 1 && only !== undefined && !only.several;
  return (
    <>
      {questions.map((question, place) => (
        <One
          key={place}
          question={question}
          choice={choices[place] ?? none}
          change={(choice) => {
            change(place, choice);
            if (quick && !choice.other && choice.options.length > 0) void send([choice]);
          }}
        />
      ))}
      {(!quick || choices[0]?.other) && (
        <div class="answers">
          <button type="button" class="button primary" disabled={!complete(choices)} onClick={() => send(choices)}>
            {questions.length > 1 ? "Send the answers" : "Send the answer"}
          </button>
        </div>
      )}
    </>
  );
}

/** What the dialog adds of its own, own words among it, is offered below. */
const isAnswer = (option: PromptChoice) => option.key !== "text" && option.key !== "chat";

type Props = { question: PromptQuestion; choice: Choice; change: (choice: Choice) => void };

function One({ question, choice, change }: Props) {
  const { several } = question;
  return (
    <div class="question" role="group" aria-label={question.question}>
      <p class="question-text">{question.question}</p>
      {several && <p class="dim">Choose any</p>}
      <div class="options">
        {question.options.filter(isAnswer).map((option) => (
          <button
            type="button"
            key={option.number}
            class="option"
            aria-pressed={choice.options.includes(option.number)}
            onClick={() => change(chosen(choice, option.number, several))}
          >
            <span class="tick" aria-hidden="true" />
            <span>
              {option.label}
              {option.description && option.description !== option.label && <span class="dim">{option.description}</span>}
            </span>
          </button>
        ))}
        <button
          type="button"
          class="option"
          aria-pressed={choice.other}
          onClick={() => change({ ...choice, options: several ? choice.options : [], other: !choice.other })}
        >
          <span class="tick" aria-hidden="true" />
          <span>Other</span>
        </button>
      </div>
      {choice.other && (
        <label class="words">
          In your own words
          <textarea rows={2} value={choice.text} onInput={(event) => change({ ...choice, text: event.currentTarget.value })} />
        </label>
      )}
    </div>
  );
}
