"""Answers to several requests by one model: each has caches of its own, and one thread gives each a turn."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mlc.generation.generator import Ending
from mlc.generation.generator import Generator as TextGenerator
from mlc.generation.json_schema import JsonConstraint
from mlc.generation.sampling import Sampling
from mlc.generation.spelling import TextStream
from mlc.generation.stop_strings import StopStrings


@dataclass(frozen=True)
class Piece:
    """A text by which an answer grows."""

    text: str


@dataclass(frozen=True)
class Answered:
    """An answer ended: why, how many tokens it has, how many of the prompt did not have to be read, and the state of
    the model after the last token that was read, `[width]`."""

    ending: Ending
    written: int
    reused: int
    hidden: NDArray[np.float32]


@dataclass(frozen=True)
class Failure:
    """An answer ended with an error: `TimeoutError`, or one that the model, or mlc, raised."""

    error: Exception


Event = Piece | Answered | Failure


class QueueFullError(Exception):
    """As many requests wait as may."""


class EngineStoppedError(Exception):
    """The engine takes no more requests."""


@dataclass(eq=False)
class Job:
    """What is asked for.

    Attributes:
        tokens: the prompt.
        most: how many tokens may be written.
        deadline: when it has to be answered, by `time.monotonic`.
        tell: takes each event, in the engine's thread; it must not wait.
        is_cancelled: whether nobody waits for the answer any more; nothing is told then.
    """

    tokens: Sequence[int]
    most: int
    sampling: Sampling
    stops: Sequence[str]
    constraint: JsonConstraint | None
    deadline: float
    tell: Callable[[Event], None]
    is_cancelled: bool = False


@dataclass(eq=False)
class _Answer:
    """A job that has its turns."""

    job: Job
    steps: Generator[int | None, None, Ending]
    text: TextStream
    stop: StopStrings
    reused: int
    written: int = 0

    def take(self) -> Ending | None:
        """One call of the model; says why the answer ended, if it did."""
        try:
            token = next(self.steps)
        except StopIteration as e:
            self._tell(self.stop.passed(self.text.rest(), is_last=True))
            return e.value
        if token is not None:
            self.written += 1
            self._tell(self.stop.passed(self.text.added(token)))
        return Ending.STOP if self.stop.is_found else None

    def _tell(self, text: str) -> None:
        if text:
            self.job.tell(Piece(text))


@dataclass(eq=False)
class _Slot:
    """Caches, and the answer that uses them."""

    generator: TextGenerator
    answer: _Answer | None = None
    used: float = 0.0


class Engine:
    """A queue of jobs, and a thread that answers them.

    Attributes:
        reused: how many tokens of prompts were found in caches.
        read, written: how many tokens were read and written.
    """

    def __init__(self, generator: TextGenerator, slots: int, most_waiting: int) -> None:
        self._slots = [_Slot(generator), *(_Slot(generator.another()) for _ in range(slots - 1))]
        self._most_waiting = most_waiting
        self._waiting: deque[Job] = deque()
        self._changed = threading.Condition()
        self._is_stopped = False
        self.read, self.written, self.reused = 0, 0, 0
        self._thread = threading.Thread(target=self._run, name="mlc-engine", daemon=True)
        self._thread.start()

    def submit(self, job: Job) -> None:
        """Take a job.

        Raises:
            QueueFullError: too many wait.
            EngineStoppedError: the engine was stopped.
        """
        with self._changed:
            if self._is_stopped:
                raise EngineStoppedError
            if len(self._waiting) >= self._most_waiting and all(each.answer is not None for each in self._slots):
                raise QueueFullError
            self._waiting.append(job)
            self._changed.notify()

    def cancel(self, job: Job) -> None:
        """Nobody waits for the answer."""
        job.is_cancelled = True

    def stop(self) -> None:
        """Cut what is not answered yet, and end the thread."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify()
        self._thread.join()

    @property
    def load(self) -> tuple[int, int]:
        """How many jobs have turns, and how many wait."""
        return sum(each.answer is not None for each in self._slots), len(self._waiting)

    @property
    def is_running(self) -> bool:
        """Whether jobs are answered."""
        return not self._is_stopped

    def _run(self) -> None:
        try:
            while self._has_work():
                for slot in self._slots:
                    if slot.answer is not None:
                        self._turn(slot, slot.answer)
        finally:  # whatever happens, nobody waits for an engine that stopped
            with self._changed:
                self._is_stopped = True
            self._cut()

    def _cut(self) -> None:
        """Tell all that their answers do not come."""
        for slot in self._slots:
            if slot.answer is not None:
                slot.answer.job.tell(Failure(EngineStoppedError()))
        for job in self._waiting:
            job.tell(Failure(EngineStoppedError()))

    def _has_work(self) -> bool:
        """Wait until there is some; False if the engine was stopped."""
        with self._changed:
            while not self._is_stopped:
                self._begin()
                if any(each.answer is not None for each in self._slots):
                    return True
                self._changed.wait()
            return False

    def _begin(self) -> None:
        """Give slots to jobs that wait, in their order, and drop those that are late or that nobody waits for."""
        now = time.monotonic()
        for job in [each for each in self._waiting if each.is_cancelled or each.deadline < now]:
            self._waiting.remove(job)
            if not job.is_cancelled:
                job.tell(Failure(TimeoutError()))
        while self._waiting and (free := [each for each in self._slots if each.answer is None]):
            slot = _best(free, self._waiting[0].tokens)
            job = self._waiting.popleft()
            try:
                slot.answer = _begun(slot.generator, job)
            except Exception as e:
                job.tell(Failure(e))

    def _turn(self, slot: _Slot, answer: _Answer) -> None:
        job = answer.job
        if job.is_cancelled:
            return self._end(slot, answer)
        try:
            if time.monotonic() > job.deadline:
                raise TimeoutError
            ending = answer.take()
        except Exception as e:
            self._end(slot, answer)
            return job.tell(Failure(e))
        if ending is not None:
            self._end(slot, answer)
            job.tell(Answered(ending, answer.written, answer.reused, slot.generator.hidden))
        return None

    def _end(self, slot: _Slot, answer: _Answer) -> None:
        answer.steps.close()
        self.written += answer.written
        self.reused += answer.reused
        self.read += min(len(answer.job.tokens), slot.generator.held) - answer.reused
        slot.answer, slot.used = None, time.monotonic()


def _begun(generator: TextGenerator, job: Job) -> _Answer:
    """The answer to a job, of which nothing is computed yet."""
    left = generator.forget(job.tokens)
    steps = generator.steps(left, job.most, job.sampling, job.constraint)
    text = TextStream(generator.tokenizer.spelling)
    return _Answer(job, steps, text, StopStrings(job.stops), len(job.tokens) - len(left))


def _best(slots: Sequence[_Slot], tokens: Sequence[int]) -> _Slot:
    """The slot whose caches a prompt continues, or else the one that was not used for longest.

    A prompt continues caches if it shares more than half of what they hold, or is all in them: a beginning that all
    prompts share, such as the message of the system, does not take the caches of another conversation.
    """
    shared = [(each.generator.common(tokens), each) for each in slots]
    going_on = [each for each in shared if 2 * each[0] > each[1].generator.held or each[0] == len(tokens) - 1 > 0]
    if going_on:
        return max(going_on, key=lambda found: found[0])[1]
    return min(slots, key=lambda each: each.used)
