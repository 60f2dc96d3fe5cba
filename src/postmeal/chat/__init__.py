"""Health chat that answers questions about food and glucose.

The library computes the numbers about meals. Statements about research are quoted from articles.
Questions about emergencies, self-harm, medicines and diagnoses get fixed texts.

``amount_replies``    replies that state only an amount
``amounts``           units, shares and multiples of amounts
``amounts_said``      amounts in a question that belong to no food
``answer``            sentences, passages, computations and the complete text of an answer
``assistant``         answers the last message of a conversation
``avoided_foods``     foods that a person avoids, and allergies
``body_size``         body height and mass in a text
``cautions``          cautions that are added to computed answers
``clauses``           sentences and clauses, and whether they state present facts
``comparable_words``  words of a sentence in a uniform form, for comparing two sentences
``computation_gate``  reasons not to compute an answer
``danger``            rules that recognize emergencies, self-harm and eating disorders
``danger_model``      model that recognizes the same dangers and questions about medicines
``emoji_words``       emoji of foods in words, and foods that are crossed out
``fixed_texts``       the fixed texts with their sources
``food_names``        whether the words of a message name a food
``food_roles``        whether a food in a message is eaten
``food_rules``        restrictions and diets that a word names
``food_spans``        parts of a message that name foods
``glucose_unit``      the unit in which a conversation states glucose
``hashed_model``      linear models over hashed features of texts
``history``           the messages of a conversation
``intents``           what a message asks
``ketones``           ketones in the blood
``language``          whether a text is in English
``lasting_dangers``   dangers that persist during a conversation
``low_model``         model that recognizes low glucose that needs fast sugar
``meal_changes``      changes to a meal from an earlier message
``meal_question``     questions about meals, including follow-ups
``meals``             the meals that a text names
``medicines``         questions about doses, medicines and diagnoses
``message_features``  features of a message for the models
``meter_range``       the displays "LO" and "HI" of a meter
``person``            the person who eats a meal, and the time of the meal
``plain_messages``    the messages of a conversation in plain text
``question_terms``    topics, people and outcomes in a question about research
``read_message``      a message with its foods and its intent
``reading``           a glucose reading with its unit
``reading_words``     limits, ranges and short forms of glucose readings
``readings``          glucose readings with their units
``routes``            the kind of answer that a message gets
``subjects``          the person whom a clause is about
``support``           checks of the sentences that a language model wrote
``tools``             computations and literature searches, one file per tool
``unit_replies``      replies that state the unit of a reading
``urgent_care``       needs for care today, such as low glucose
``word_tagger``       models that assign a tag to each word of a message
``wording``           uniform spelling of messages, and the patterns of ``patterns.toml``
"""

from postmeal.chat.answer import ChatAnswer, Computation, Sentence
from postmeal.chat.assistant import Assistant
from postmeal.chat.history import Message
from postmeal.chat.routes import Route

__all__ = ["Assistant", "ChatAnswer", "Computation", "Message", "Route", "Sentence"]
